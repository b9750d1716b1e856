"""Permanent restrictions of a Linux process: visible files, rights, system calls.

Each function makes kernel calls through ctypes for its own process, before that process runs untrusted code. If a call fails, the
function raises OSError, so that a missing protection is never mistaken for an active one.

References
----------
The manual pages clone(2), mount(2), capabilities(7), landlock(7), seccomp(2), prctl(2), setrlimit(2).
"""

import contextlib
import ctypes
import functools
import os
import platform
import signal
import struct
import threading
from collections.abc import Iterable, Sequence

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_KEEPCAPS = 1, 4, 8
PR_CAPBSET_DROP, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 24, 36, 38
PR_GET_TID_ADDRESS = 40
CAP_DAC_READ_SEARCH = 2

CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC = 0x20000, 0x4000000, 0x8000000
CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000
CLONE_CHILD_CLEARTID, CLONE_CHILD_SETTID = 0x200000, 0x1000000

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC = 1, 2, 4, 8
MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 1 << 5, 1 << 12, 1 << 14, 1 << 18


@functools.cache
def libc() -> ctypes.CDLL:
    """Return the C library of this process."""
    return ctypes.CDLL(None, use_errno=True)


def check_result(result: int, call_name: str) -> int:
    """Return the result of a C call; raise OSError if it is negative."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{call_name}: {os.strerror(number)}")
    return result


def prctl(option: int, *arguments: int) -> None:
    """Change an attribute of this process; see prctl(2)."""
    padded = [ctypes.c_ulong(argument) for argument in (*arguments, 0, 0, 0, 0)[:4]]
    check_result(libc().prctl(option, *padded), f"prctl {option}")


# Namespaces and mounts ------------------------------------------------------------------------------------------------


def fork_into_namespaces() -> int:
    """Fork like ``os.fork``, but into new namespaces: user, mount, network, IPC, host name, and PID, where the child is process 1.

    User and group keep their ids, and are the only ones in the new user namespace. When the child ends, its namespaces and all its
    descendants end, too. This uses clone because after ``unshare``, which makes namespaces for the caller, the child could not be a
    direct child of this process.
    """
    user, group = os.getuid(), os.getgid()
    spaces = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWNET | CLONE_NEWUTS
    flags, number = spaces | signal.SIGCHLD, {"x86_64": 56, "aarch64": 220}[platform.machine()]
    address = _thread_id_address()
    if address:  # The C library stores the thread id there.
        flags |= CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID
    python, clone = ctypes.pythonapi, ctypes.PyDLL(None, use_errno=True).syscall  # PyDLL keeps the GIL during the call.
    # The order of the last two arguments differs between x86-64 and ARM.
    last = (address, 0) if platform.machine() == "x86_64" else (0, address)
    arguments = [ctypes.c_ulong(value) for value in (flags, 0, 0, *last)]
    python.PyOS_BeforeFork()
    pid: int = clone(ctypes.c_long(number), *arguments)
    if pid:
        failed = ctypes.get_errno() if pid < 0 else 0
        python.PyOS_AfterFork_Parent()
        if failed:
            raise OSError(failed, f"clone: {os.strerror(failed)}")
        return pid
    python.PyOS_AfterFork_Child()
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        file = os.open(f"/proc/self/{name}", os.O_WRONLY)
        os.write(file, text.encode())
        os.close(file)
    return 0


def _thread_id_address() -> int:
    """Return the address where the C library stores the id of this thread, or 0 if the kernel's answer is missing or wrong."""
    address = ctypes.c_ulong(0)
    if libc().prctl(PR_GET_TID_ADDRESS, ctypes.byref(address), 0, 0, 0) < 0 or not address.value:
        return 0
    return address.value if ctypes.c_int.from_address(address.value).value == threading.get_native_id() else 0


def mount_tmpfs_over(folder: str, size: int = 4096, files: int = 2, writable: bool = False) -> None:
    """Mount an empty tmpfs over a folder. With `writable`, `size` (bytes) and `files` limit its contents."""
    flags = MS_NOSUID | MS_NODEV | (0 if writable else MS_RDONLY)
    options = f"size={size},nr_inodes={files},mode={'700' if writable else '555'}"
    result = libc().mount(b"tmpfs", os.fsencode(folder), b"tmpfs", ctypes.c_ulong(flags), options.encode())
    check_result(result, f"mount over {folder}")


def make_read_only(path: str) -> None:
    """Remount a path read-only. A device can still be written to, but its mode cannot be changed."""
    flags = os.statvfs(path).f_flag & (MS_NOSUID | MS_NODEV | MS_NOEXEC)  # The existing flags must be kept.
    flags |= MS_REMOUNT | MS_BIND | MS_RDONLY
    result = libc().mount(b"none", os.fsencode(path), None, ctypes.c_ulong(flags), None)
    check_result(result, f"mount {path} read-only")


def make_mounts_private() -> None:
    """Make later mounts invisible to other mount namespaces."""
    check_result(libc().mount(b"none", b"/", None, ctypes.c_ulong(MS_REC | MS_PRIVATE), None), "mount private")


# Rights ---------------------------------------------------------------------------------------------------------------


def switch_user(user: int, group: int, keep_capabilities: bool = False) -> None:
    """Switch permanently to this user, in this group only. `drop_capabilities` removes capabilities that were kept.

    Changing the user clears PR_SET_PDEATHSIG, so the caller must set it again.
    """
    prctl(PR_SET_KEEPCAPS, int(keep_capabilities))
    os.setgroups([])
    os.setresgid(group, group, group)
    os.setresuid(user, user, user)
    prctl(PR_SET_DUMPABLE, 1)  # Otherwise this process's files in /proc would belong to root.


def drop_capabilities(keep_reading: bool = False) -> None:
    """Drop all capabilities, even as root, and make sure that running a program cannot gain any.

    With `keep_reading`, keep the right to read files of any mode, for a process that Landlock keeps from most files.
    """
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    kernel = libc()
    for capability in range(64):
        if kernel.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) < 0:
            break  # Either the kernel has no further capabilities, or this process may not drop any.
    header, kept = struct.pack("=Ii", 0x20080522, 0), 1 << CAP_DAC_READ_SEARCH if keep_reading else 0
    check_result(kernel.capset(header, struct.pack("=6I", kept, kept, 0, 0, 0, 0)), "capset")


def die_with_parent() -> None:
    """Have the kernel kill this process when its parent ends."""
    prctl(PR_SET_PDEATHSIG, 9)


def become_subreaper() -> None:
    """Become the new parent of all descendants whose parents end, so that all descendants can be found."""
    prctl(PR_SET_CHILD_SUBREAPER, 1)


def address_space_in_use() -> int:
    """Return the bytes of address space that this process uses."""
    import resource

    with open("/proc/self/statm", "rb") as file:  # Text mode would import a codec in each box.
        return int(file.read().split()[0]) * resource.getpagesize()


# Landlock -------------------------------------------------------------------------------------------------------------

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # These numbers are the same on all architectures.
RULE_PATH_BENEATH = 1
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
TRUNCATE = 1 << 14
MAKE_AND_REMOVE = 1 << 4 | 1 << 5 | 1 << 7 | 1 << 8  # folders and regular files
RIGHTS_BY_ABI = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
READ_RIGHTS = EXECUTE | READ_FILE | READ_DIR


def landlock_version() -> int:
    """Return the Landlock version of the kernel, or 0 if there is none."""
    version: int = libc().syscall(CREATE_RULESET, None, ctypes.c_size_t(0), 1)
    return max(0, version)


def restrict_with_landlock(
    readable: Iterable[str], writable: Iterable[str] = (), max_version: int | None = None
) -> None:
    """Restrict this process to these files and folders, without network access and without signals to processes outside.

    Blocking the network needs Landlock version 4, blocking signals version 6. `allow_system_calls` blocks what older versions cannot.
    `max_version` is the maximum version to use, for tests that imitate an older kernel.
    """
    version = landlock_version() if max_version is None else min(max_version, landlock_version())
    if version < 1:
        raise OSError(f"no Landlock on {platform.release()}")
    handled = max(rights for abi, rights in RIGHTS_BY_ABI.items() if abi <= version)
    attributes = struct.pack("=QQQ", handled, 3 if version >= 4 else 0, 3 if version >= 6 else 0)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    kernel = libc()
    ruleset = kernel.syscall(CREATE_RULESET, attributes, ctypes.c_size_t(size), 0)
    check_result(ruleset, "landlock_create_ruleset")
    write = READ_RIGHTS | WRITE_FILE | MAKE_AND_REMOVE | (TRUNCATE if version >= 3 else 0)
    for paths, rights in ((readable, READ_RIGHTS), (writable, write)):
        for path in paths:
            try:
                handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
            except FileNotFoundError:
                continue
            try:
                allowed = rights if os.path.isdir(path) else rights & (EXECUTE | READ_FILE | WRITE_FILE | TRUNCATE)
                rule = struct.pack("=Qi", allowed & handled, handle)
                check_result(kernel.syscall(ADD_RULE, ruleset, RULE_PATH_BENEATH, rule, 0), f"landlock_add_rule {path}")
            finally:
                os.close(handle)
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    check_result(kernel.syscall(RESTRICT_SELF, ruleset, 0), "landlock_restrict_self")
    os.close(ruleset)


def kill_descendants(keep: Sequence[int] = ()) -> None:
    """Kill and reap all descendants of this process except `keep`, even hidden ones. The process must adopt orphans."""
    while True:
        with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as file:
            children = [int(pid) for pid in file.read().split() if int(pid) not in keep]
        if not children:
            return
        for pid in children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for pid in children:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)
