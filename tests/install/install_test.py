"""install_test.py BUILD: installs the library of a build into a folder and uses it as an outside project would.

The projects are made in a temporary folder and compiled with g++, as most users would, although the library is
compiled with clang. The library has to be built (the target berth_archive).
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = None
COMPONENTS = ("queue", "scheduler", "sim", "daemon")
NOT_PUBLIC = "// Not public"


def attempt(*command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, timeout=600,
                          **options)


def run(*command, **options):
    done = attempt(*command, **options)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def public_headers():
    """{component: [header]} of cmake/PublicHeaders.cmake."""
    text = (ROOT / "cmake/PublicHeaders.cmake").read_text()
    return {component: headers.split()
            for component, headers in re.findall(r"set\(BERTH_PUBLIC_HEADERS_(\w+)([^)]*)\)", text)}


def included(path):
    """What of Berth a header includes itself."""
    return re.findall(r'^#include "(berth/[^"]+)"', path.read_text(), re.MULTILINE)


class InFolder(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="berth-install-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)

    def project(self, name, cmake, sources=None):
        """A folder with a CMakeLists.txt and the sources, a dictionary of texts."""
        folder = self.folder / name
        folder.mkdir()
        (folder / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(outside LANGUAGES CXX)\n"
                                               + cmake)
        for file, text in (sources or {}).items():
            (folder / file).write_text(text)
        return folder

    def configure(self, folder, *options, compiler="g++"):
        return attempt("cmake", "-G", "Ninja", "-S", folder, "-B", folder / "build",
                       f"-DCMAKE_CXX_COMPILER={compiler}", *options)


class Installed(InFolder):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.prefix = cls.folder / "prefix"
        run("cmake", "--install", BUILD, "--component", "development", "--prefix", cls.prefix)
        cls.include = cls.prefix / "include"

    def configure(self, folder, *options, compiler="g++"):
        return super().configure(folder, f"-DCMAKE_PREFIX_PATH={self.prefix}", *options, compiler=compiler)

    def flags(self, package):
        environment = {**os.environ, "PKG_CONFIG_PATH": str(next(self.prefix.glob("lib*/**/pkgconfig")))}
        return run("pkg-config", "--cflags", "--libs", package, env=environment).split()

    def closure(self, header):
        found, todo = set(), [header]
        while todo:
            next_one = todo.pop()
            if next_one not in found:
                found.add(next_one)
                todo += included(self.include / next_one)
        return found

    # --- find_package ---

    def test_examples_build_and_run(self):
        folder = self.folder / "examples"
        shutil.copytree(ROOT / "examples", folder)
        done = self.configure(folder)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        run("cmake", "--build", folder / "build", "-j", os.cpu_count())
        said = run("ctest", "--test-dir", folder / "build", "--output-on-failure", "--no-tests=error")
        self.assertIn("100% tests passed", said)
        for source in folder.glob("*.cc"):
            self.assertTrue((folder / "build" / f"example_{source.stem}").exists(), f"{source.name} was not built")

    def test_queue_alone_needs_neither_json_nor_tls(self):
        without = [f"-DCMAKE_DISABLE_FIND_PACKAGE_{package}=ON" for package in ("simdjson", "ZLIB", "OpenSSL")]
        folder = self.project("queue", "find_package(berth REQUIRED COMPONENTS queue)\n")
        done = self.configure(folder, *without)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        folder = self.project("scheduler", "find_package(berth REQUIRED COMPONENTS scheduler)\n")
        done = self.configure(folder, *without)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("simdjson", done.stderr)

    def test_daemon_links(self):
        folder = self.project(
            "daemon",
            "find_package(berth REQUIRED COMPONENTS daemon)\nadd_executable(main main.cc)\n"
            "target_link_libraries(main PRIVATE berth::berth)\n",
            {"main.cc": '#include "berth/daemon/daemon.h"\n'
                        "int main(int argc, char**) {\n"
                        "  berth::daemon::Log* none = nullptr;\n"
                        "  return argc > 1 ? berth::daemon::run({}, {}, *none) : 0;\n"
                        "}\n"})
        done = self.configure(folder)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        run("cmake", "--build", folder / "build")
        run(folder / "build/main")

    def test_unknown_component_and_other_version_are_refused(self):
        done = self.configure(self.project("unknown", "find_package(berth REQUIRED COMPONENTS kubelet)\n"))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("kubelet", done.stderr)
        done = self.configure(self.project("version", "find_package(berth 99.0 REQUIRED)\n"))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("99.0", done.stderr)

    # --- pkg-config ---

    def test_example_builds_with_pkg_config(self):
        for compiler in ("g++", "clang++-19"):
            program = self.folder / f"with-{compiler}"
            run(compiler, "-std=c++23", ROOT / "examples/schedule_pods.cc", "-o", program, *self.flags("berth-queue"))
            self.assertIn("all 8 pods have run", run(program))

    def test_every_component_has_a_package(self):
        for package in ("berth", *(f"berth-{component}" for component in COMPONENTS)):
            self.assertIn("-lberth", self.flags(package))
        self.assertNotIn("-lssl", self.flags("berth"))
        self.assertIn("-lssl", self.flags("berth-daemon"))

    # --- Headers ---

    def test_public_headers_compile_as_installed(self):
        for component in COMPONENTS:
            self.assertTrue(public_headers()[component])
        source = self.folder / "all_headers.cc"
        source.write_text("".join(f'#include "{header}"\n' for headers in public_headers().values()
                                  for header in headers))
        flags = [flag for flag in self.flags("berth") if not flag.startswith("-l")]
        run("g++", "-std=c++23", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", source, *flags)

    def test_other_headers_are_marked(self):
        public = {header for headers in public_headers().values() for header in headers}
        installed = {str(path.relative_to(self.include)): path for path in self.include.rglob("*.h")}
        self.assertLessEqual(public, installed.keys())
        needed = set().union(*(self.closure(header) for header in public))
        self.assertEqual(installed.keys(), needed)
        for header, path in installed.items():
            self.assertEqual(path.read_text().startswith(NOT_PUBLIC), header not in public, header)

    def test_document_lists_the_public_headers(self):
        text = (ROOT / "docs/library.md").read_text()
        listed = re.findall(r"^\| `(\w+)` \|.*\| (`\w+/[\w`/., ]+) \|$", text, re.MULTILINE)
        documented = {}
        for component, headers in listed:
            documented[component] = [f"berth/{header}" for header in re.findall(r"`([^`]+)`", headers)]
        self.assertEqual({component: sorted(headers) for component, headers in documented.items()},
                         {component: sorted(headers) for component, headers in public_headers().items()})

    def test_plugins_do_not_include_the_queue(self):
        for header in ("berth/framework/plugin.h", "berth/framework/per_node.h", "berth/framework/registry.h"):
            self.assertNotIn("berth/queue/scheduling_queue.h", self.closure(header))


class TakenIn(InFolder):
    """FetchContent, which is add_subdirectory() with a download."""

    def test_library_builds_inside_another_project(self):
        folder = self.project(
            "outside",
            "include(FetchContent)\n"
            f'FetchContent_Declare(berth SOURCE_DIR "{ROOT}")\n'
            "FetchContent_MakeAvailable(berth)\n"
            f'add_executable(main "{ROOT}/examples/schedule_pods.cc")\n'
            "target_link_libraries(main PRIVATE berth::queue)\n")
        without = [f"-DCMAKE_DISABLE_FIND_PACKAGE_{package}=ON" for package in ("GTest", "CLI11", "CURL", "OpenSSL")]
        # clang precompiles headers, which takes half the time.
        done = self.configure(folder, "-DCMAKE_CXX_FLAGS=-O0", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", *without,
                              compiler="clang++-19")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        # Nothing of Berth is built that the project does not link, and C++23 is all that comes with it.
        build = folder / "build"
        run("cmake", "--build", build, "-j", os.cpu_count())
        self.assertIn("all 8 pods have run", run(build / "main"))
        self.assertEqual(sorted(path.name for path in build.rglob("*.a")),
                         ["libberth_api.a", "libberth_base.a", "libberth_queue.a"])
        compiled = json.loads((build / "compile_commands.json").read_text())
        command, = (each["command"] for each in compiled if each["file"].endswith("schedule_pods.cc"))
        self.assertRegex(command, r" -std=(?:gnu|c)\+\+2[3b] ")
        self.assertNotIn("-W", command)
        self.assertFalse(list(build.rglob("CTestTestfile.cmake")), "Berth's tests are among the project's")


if __name__ == "__main__":
    BUILD = pathlib.Path(sys.argv.pop()).resolve()
    unittest.main(verbosity=2)
