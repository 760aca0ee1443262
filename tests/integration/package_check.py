"""package_check.py BERTH BUILD: makes the Debian packages and the OCI image of a build, and runs what is in them.

Neither needs root: a package is unpacked, and installed into a folder; the image is unpacked, and its program started
with the image's own loader and libraries. Without umoci (Debian has it) the image is skipped, loudly.
"""

import gzip
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BERTH = BUILD = None


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, timeout=300,
                          **options)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class InFolder(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="berth-package-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)


class UnpackedPackage(InFolder):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        run("cpack", "-G", "DEB", "-B", cls.folder / "out", "--config", BUILD / "CPackConfig.cmake",
            "-D", f"CPACK_COMPONENTS_ALL={cls.component}", cwd=BUILD)
        cls.package, = (cls.folder / "out").glob("*.deb")
        cls.files = cls.folder / "files"
        run("dpkg-deb", "-x", cls.package, cls.files)

    def field(self, name):
        return run("dpkg-deb", "-f", self.package, name).strip()


class DebianPackage(UnpackedPackage):
    component = "program"

    def test_says_what_it_is_and_needs(self):
        self.assertEqual(self.field("Package"), "berth")
        self.assertRegex(self.field("Version"), r"^\d+\.\d+\.\d+")
        self.assertRegex(self.field("Depends"), r"libc6 .*ca-certificates|ca-certificates.*libc6 ")

    def test_program_runs(self):
        self.assertIn("berth", run(self.files / "usr/bin/berth", "version"))
        self.assertEqual(os.readlink(self.files / "usr/bin/kubectl-berth"), "berth")
        self.assertIn("Usage: kubectl berth explain", run(self.files / "usr/bin/kubectl-berth", "explain", "--help"))
        self.assertTrue(os.access(self.files / "usr/bin/kubectl_complete-berth", os.X_OK))

    def test_manual_page_is_read_by_man(self):
        page = next((self.files / "usr/share/man/man1").iterdir())
        text = gzip.decompress(page.read_bytes()).decode() if page.suffix == ".gz" else page.read_text()
        for section in (".SH NAME", ".SH SYNOPSIS", ".SH COMMANDS", ".SH EXIT STATUS", "berth explain"):
            self.assertIn(section, text)
        if shutil.which("groff"):
            done = subprocess.run(["groff", "-man", "-Tutf8", "-ww"], input=text, capture_output=True, text=True,
                                  check=True)
            self.assertEqual(done.stderr, "")

    def test_unit_file_is_well(self):
        unit = self.files / "usr/lib/systemd/system/berth.service"
        text = unit.read_text()
        self.assertIn("ExecStart=/usr/bin/berth run --config=/etc/berth/config.yaml", text)
        if shutil.which("systemd-analyze"):
            mended = self.folder / "berth.service"
            mended.write_text(text.replace("/usr/bin/berth", str(self.files / "usr/bin/berth"))
                              .replace("Documentation=man:berth(1)\n", ""))
            done = subprocess.run(["systemd-analyze", "verify", mended], capture_output=True, text=True, check=False)
            self.assertNotIn("berth.service", done.stderr)

    def test_configuration_is_well_and_kept_over_upgrades(self):
        config = self.files / "etc/berth/config.yaml"
        self.assertIn("OK", run(self.files / "usr/bin/berth", "config", "check", config))
        run("dpkg-deb", "-e", self.package, self.folder / "control")
        self.assertEqual((self.folder / "control/conffiles").read_text().split(),
                         ["/etc/berth/config.yaml", "/etc/default/berth"])

    def test_completion_is_there(self):
        self.assertIn("berth", (self.files / "usr/share/bash-completion/completions/berth").read_text())

    def test_installs_and_goes_again(self):
        root = self.folder / "root"
        (root / "var/lib/dpkg/updates").mkdir(parents=True)
        (root / "var/lib/dpkg/info").mkdir()
        (root / "var/lib/dpkg/status").write_text("")
        dpkg = ("dpkg", f"--root={root}", "--force-depends", "--force-script-chrootless", "--force-not-root",
                f"--log={self.folder / 'dpkg.log'}")
        run(*dpkg, "-i", self.package)
        self.assertIn("berth", run(root / "usr/bin/berth", "--version"))
        self.assertIn("install ok installed", run(*dpkg, "-s", "berth"))
        run(*dpkg, "-r", "berth")
        self.assertFalse((root / "usr/bin/berth").exists())
        self.assertTrue((root / "etc/berth/config.yaml").exists(), "a removal keeps configuration; a purge does not")


class DevelopmentPackage(UnpackedPackage):
    component = "development"

    def test_says_what_it_is_and_needs(self):
        self.assertEqual(self.field("Package"), "libberth-dev")
        self.assertEqual(self.field("Section"), "libdevel")
        for needed in ("libabsl-dev", "libfmt-dev", "libsimdjson-dev", "libzstd-dev", "zlib1g-dev"):
            self.assertIn(needed, self.field("Depends"))

    def test_holds_nothing_but_what_a_developer_needs(self):
        files = {str(path.relative_to(self.files)) for path in self.files.rglob("*") if path.is_file()}
        for file in ("usr/lib/libberth.a", "usr/lib/cmake/berth/berth-config.cmake", "usr/lib/pkgconfig/berth.pc",
                     "usr/include/berth/queue/scheduling_queue.h", "usr/share/doc/libberth-dev/copyright"):
            self.assertIn(file, files)
        self.assertFalse([file for file in files if file.startswith(("usr/bin", "etc"))])

    def test_a_program_links_against_it(self):
        source = self.folder / "program.cc"
        source.write_text('#include "berth/queue/scheduling_queue.h"\n'
                          "int main() { return berth::queue::SchedulingQueue({}).has_pod_to_pop(); }\n")
        environment = {**os.environ, "PKG_CONFIG_PATH": str(self.files / "usr/lib/pkgconfig")}
        flags = run("pkg-config", "--cflags", "--libs", "berth-queue", env=environment).split()
        run("g++", "-std=c++23", source, "-o", self.folder / "program", *flags)
        run(self.folder / "program")


class Image(InFolder):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if not shutil.which("umoci"):
            print("*** NO UMOCI: the image was NOT built (apt-get install umoci) ***", file=sys.stderr)
            raise unittest.SkipTest("umoci is missing")
        cls.said = run(ROOT / "deploy/image/build", BERTH, cls.folder / "berth.tar")
        layout = cls.folder / "layout"
        layout.mkdir()
        run("tar", "-C", layout, "-xf", cls.folder / "berth.tar")
        run("umoci", "unpack", "--rootless", "--image", f"{layout}:{cls.tag()}", cls.folder / "bundle")
        cls.root = cls.folder / "bundle/rootfs"

    @classmethod
    def tag(cls):
        return cls.said.split(": ")[0].rpartition(":")[2]

    def test_program_runs_with_nothing_but_the_image(self):
        loader = next((self.root / "lib64").glob("ld-linux*"))
        libraries = ":".join(str(path) for path in (self.root / "lib").iterdir())
        self.assertIn("berth", run(loader, "--library-path", libraries, self.root / "usr/bin/berth", "version", env={}))

    def test_image_is_small_and_holds_no_shell(self):
        self.assertLess((self.folder / "berth.tar").stat().st_size, 40e6)
        self.assertFalse((self.root / "bin/sh").exists())
        self.assertTrue((self.root / "etc/ssl/certs/ca-certificates.crt").exists())

    def test_it_does_not_run_as_root(self):
        config = (self.folder / "bundle/config.json").read_text()
        self.assertIn('"uid": 65532', config)

    def test_manifests_name_it(self):
        name = self.said.split(": ")[0]
        for manifest in ("second-scheduler", "only-scheduler", "static-pod"):
            self.assertIn(f"image: {name}\n", (ROOT / f"deploy/{manifest}.yaml").read_text())


if __name__ == "__main__":
    BUILD = pathlib.Path(sys.argv.pop()).resolve()
    BERTH = pathlib.Path(sys.argv.pop()).resolve()
    unittest.main(verbosity=2)
