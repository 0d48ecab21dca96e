#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""child.py BPROBE - what the child that reads debug information may do. TAP

The program's debug information is in a file of its own (-gsplit-dwarf), and this file is a pipe that nobody writes. So the child waits when it
opens it, and /proc says what rights it has at that moment. Nothing is attached.

The planted faults, in user/elf/dwarf/child.c: without lose_calls(), setresuid(), close_range() or PR_SET_PDEATHSIG a test fails. (Of root,
setresuid() takes the capabilities away already. So if root runs this, the test passes also without confine_capabilities().) That the limit of 900
seconds is set is not tested.
"""
import os
import signal
import subprocess
import sys
import tempfile
import time

NOBODY = 65534


def status_of(pid):
    try:
        with open(f"/proc/{pid}/status") as file:
            return dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
    except (FileNotFoundError, ProcessLookupError):
        return None


def children_of(pid):
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        state = status_of(name)
        if state and int(state["PPid"]) == pid:
            found.append(int(name))
    return found


def until(what):
    """What @what() returns when it is true. A minute is enough for a loaded machine; None then."""
    for _ in range(6000):
        found = what()
        if found:
            return found
        time.sleep(0.01)
    return None


def make_program(where):
    """Anybody may read it, since the child may be nobody."""
    os.chmod(where, 0o755)
    with open(f"{where}/prog.c", "w") as out:
        out.write("int main(int argc, char **argv)\n{\n\treturn argc + !argv;\n}\n")
    subprocess.run([os.environ.get("CC", "gcc"), "-g", "-O0", "-gsplit-dwarf", "-c", "-o", "prog.o", "prog.c"], cwd=where, check=True)
    subprocess.run([os.environ.get("CC", "gcc"), "-o", "prog", "prog.o"], cwd=where, check=True)
    os.unlink(f"{where}/prog.dwo")
    os.mkfifo(f"{where}/prog.dwo")
    os.chmod(f"{where}/prog.dwo", 0o644)


def waiting_child(pid):
    for child in children_of(pid):
        state = status_of(child)
        try:
            if state and state["State"][0] == "S" and f"{os.readlink(f'/proc/{child}/fd/3')}".endswith("/prog"):
                return child
        except OSError:
            pass
    return None


def ask(bprobe, where):
    return subprocess.Popen([bprobe, "--explain", "--no-lint", f"p {where}/prog:prog.c:3"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def main():
    nr = 0

    def check(good, name, found):
        nonlocal nr
        nr += 1
        print(f"{'ok' if good else 'not ok'} {nr} - {name}" + ("" if good else f"\n# found: {found}"))

    bprobe = sys.argv[1]
    with tempfile.TemporaryDirectory() as where:
        make_program(where)
        run = ask(bprobe, where)
        child = until(lambda: waiting_child(run.pid))
        check(child, "the child waits for its file", run.poll())
        if child:
            state = status_of(child)
            check(state["Seccomp"] == "2", "it has a filter of system calls", state["Seccomp"])
            check(state["NoNewPrivs"] == "1", "it gets no rights by what it executes", state["NoNewPrivs"])
            for kind in "CapEff", "CapPrm", "CapInh", "CapAmb":
                check(int(state[kind], 16) == 0, f"it has no capability ({kind})", state[kind])
            user = str(NOBODY if os.geteuid() == 0 else os.geteuid())     # of root it becomes nobody; a user it stays
            check(state["Uid"].split() == [user] * 4, "it is not root", state["Uid"])
            files = sorted(int(f) for f in os.listdir(f"/proc/{child}/fd"))
            check(files == [0, 1, 2, 3, 4, 5], "it has the file, the pipe and the program open", files)
            written = [f for f in files if f != 4 and int(open(f"/proc/{child}/fdinfo/{f}").read().split("flags:")[1].split()[0], 8) & 3]
            check(not written, "... and can write to the pipe alone", written)
            # The limit is 900 seconds; its signal is sent at once.
            os.kill(child, signal.SIGALRM)
            try:
                said = run.communicate(timeout=60)[1]
            except subprocess.TimeoutExpired:
                said = "nothing in a minute"
            check("was not read within 900 seconds" in said, "the signal of its limit ends it, and bprobe says so", said)
        run.kill()
        run.wait()

        run = ask(bprobe, where)
        child = until(lambda: waiting_child(run.pid))
        run.kill()
        run.wait()
        gone = child and until(lambda: (status_of(child) or {"State": "X"})["State"][0] in "ZX")
        check(gone, "when bprobe is killed, it ends", child and status_of(child))
    print(f"1..{nr}")


main()
