"""make_man.py BERTH VERSION: the manual page berth(1), in roff, from what the program itself says with --help.

So it cannot fall behind the program; tests/integration/package_test.py reads it back.
"""

import subprocess
import sys

OPENING = """\
.TH BERTH 1 "" "berth {version}" "User Commands"
.SH NAME
berth \\- a Kubernetes scheduler, and a simulator of one
.SH SYNOPSIS
.B berth
.I COMMAND
.RI [ OPTIONS ]
.SH DESCRIPTION
Berth decides on which node a pod runs, as kube-scheduler does and with its configuration.
.B berth run
does so in a cluster; the other commands explain its decisions and try them out without one.
"""
CLOSING = """\
.SH FILES
.TP
.I /etc/berth/config.yaml
The KubeSchedulerConfiguration that berth.service uses.
.TP
.I /etc/berth/kubeconfig
Where the cluster is and who Berth is there; berth.service does not start without it.
.TP
.I /etc/default/berth
Further flags for berth.service, in
.BR BERTH_FLAGS .
.SH EXIT STATUS
0 if all went well, 1 if the work was tried and failed (among them: the lease was lost), 2 if the command line makes no
sense.
"""


def help_of(berth, *command):
    done = subprocess.run([berth, *command, "--help"], capture_output=True, text=True, check=True)
    return done.stdout


def commands_in(text):
    """The names under "Subcommands:"."""
    names = []
    is_listed = False
    for line in text.splitlines():
        if line.endswith(":") and not line.startswith(" "):
            is_listed = line == "Subcommands:"
        elif is_listed and line.startswith("  ") and not line.startswith("   "):
            names.append(line.split()[0])
    return names


def escaped(line):
    line = line.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + line if line.startswith((".", "'")) else line


def section(title, text):
    lines = "\n".join(escaped(line) for line in text.strip("\n").splitlines())
    return f".SS {escaped(title)}\n.nf\n{lines}\n.fi\n"


def sections(berth, command=()):
    text = help_of(berth, *command)
    yield section(" ".join(("berth", *command)), text)
    if command == ("help",):
        return  # it lists the others once more
    for name in commands_in(text):
        yield from sections(berth, (*command, name))


def main():
    berth, version = sys.argv[1:]
    print(OPENING.format(version=version) + ".SH COMMANDS\n" + "".join(sections(berth)) + CLOSING, end="")


if __name__ == "__main__":
    main()
