"""What a process on Linux can give up, never to get it back: sights, rights, system calls.

Everything here is a call of the kernel's, made through ctypes by a process about itself, before it runs code that is not
trusted. A function that does not get what it asks for raises OSError: nobody is to believe in a wall that is not there.

References
----------
The manual pages unshare(2), mount(2), capabilities(7), landlock(7), seccomp(2), prctl(2), setrlimit(2).
"""

import ctypes
import os
import platform
import struct
import sys
from collections.abc import Iterable, Sequence

PR_SET_PDEATHSIG, PR_CAPBSET_DROP, PR_SET_SECCOMP, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 1, 24, 22, 36, 38
SECCOMP_MODE_FILTER = 2

CLONE_THREAD = 0x10000
CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC = 0x20000, 0x4000000, 0x8000000
CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = (
    1,
    2,
    4,
    8,
    32,
    4096,
    16384,
    1 << 18,
)


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _checked(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def _prctl(option: int, *arguments: int) -> None:
    padded = [ctypes.c_ulong(argument) for argument in (*arguments, 0, 0, 0, 0)[:4]]
    _checked(_libc().prctl(option, *padded), f"prctl {option}")


# Name spaces and mounts -----------------------------------------------------------------------------------------------


def enter_name_spaces() -> None:
    """Go into new name spaces: user, mount, network, ipc, host name; processes that are started from now on, pid.

    The user and group stay who they are, and are the only ones there.
    """
    user, group = os.getuid(), os.getgid()
    spaces = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWNET | CLONE_NEWUTS
    _checked(_libc().unshare(spaces), "unshare")
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(text)


def cover(folder: str, size: int = 4096, files: int = 2, writable: bool = False) -> None:
    """Lay an empty file system of its own over a folder; of so many bytes and files where one may write."""
    flags = MS_NOSUID | MS_NODEV | (0 if writable else MS_RDONLY)
    options = f"size={size},nr_inodes={files},mode={'700' if writable else '555'}"
    result = _libc().mount(b"tmpfs", os.fsencode(folder), b"tmpfs", ctypes.c_ulong(flags), options.encode())
    _checked(result, f"mount over {folder}")


def keep_mounts_private() -> None:
    """What is mounted from now on is seen by nobody else."""
    _checked(_libc().mount(b"none", b"/", None, ctypes.c_ulong(MS_REC | MS_PRIVATE), None), "mount private")


# Rights ---------------------------------------------------------------------------------------------------------------


def drop_capabilities() -> None:
    """Be nobody in particular, even as the superuser; and never become more by running a program."""
    _prctl(PR_SET_NO_NEW_PRIVS, 1)
    libc = _libc()
    for capability in range(64):
        if libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) < 0:
            break  # the last capability that this kernel knows was the one before, or there is no right to drop any
    header = struct.pack("=Ii", 0x20080522, 0)
    _checked(libc.capset(header, bytes(24)), "capset")


def die_with_parent() -> None:
    """Be killed when the process that started this one ends."""
    _prctl(PR_SET_PDEATHSIG, 9)


def adopt_orphans() -> None:
    """Become the parent of all descendants whose own parents end, so that none of them gets lost."""
    _prctl(PR_SET_CHILD_SUBREAPER, 1)


def present_memory() -> int:
    """Bytes of address space that this process has."""
    import resource

    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def limit_resources(cpu_seconds: float, memory: int, written: int, processes: int | None) -> None:
    """Limits of this process: processor time, bytes of address space, bytes of a file, processes, open files."""
    import resource

    cpu = max(1, int(cpu_seconds + 0.999))
    limits = {
        resource.RLIMIT_CPU: (cpu, cpu + 1),
        resource.RLIMIT_AS: (memory, memory),
        resource.RLIMIT_FSIZE: (written, written),
        resource.RLIMIT_NOFILE: (64, 64),
        resource.RLIMIT_CORE: (0, 0),
        resource.RLIMIT_MEMLOCK: (0, 0),
        resource.RLIMIT_MSGQUEUE: (0, 0),
    }
    if processes is not None:
        limits[resource.RLIMIT_NPROC] = (processes, processes)
    for what, pair in limits.items():
        resource.setrlimit(what, pair)


# Landlock -------------------------------------------------------------------------------------------------------------

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # the same numbers on all machines
RULE_PATH_BENEATH = 1
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
TRUNCATE = 1 << 14
MAKE_AND_REMOVE = 1 << 4 | 1 << 5 | 1 << 7 | 1 << 8  # folders and plain files
RIGHTS_OF_ABI = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
READ = EXECUTE | READ_FILE | READ_DIR


def landlock_version() -> int:
    """The version of Landlock that the kernel offers; 0 for none."""
    return max(0, _libc().syscall(CREATE_RULESET, None, ctypes.c_size_t(0), 1))


def allow_only(readable: Iterable[str], writable: Iterable[str] = ()) -> None:
    """Leave sight of nothing but these files and folders, no network, and no signals to processes outside.

    The two last need Landlock of version 4 and 6; `forbid_system_calls` covers them where it is older.
    """
    version = landlock_version()
    if version < 1:
        raise OSError(f"no Landlock on {platform.release()}")
    handled = max(rights for abi, rights in RIGHTS_OF_ABI.items() if abi <= version)
    attributes = struct.pack("=QQQ", handled, 3 if version >= 4 else 0, 3 if version >= 6 else 0)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    libc = _libc()
    ruleset = _checked(libc.syscall(CREATE_RULESET, attributes, ctypes.c_size_t(size), 0), "landlock_create_ruleset")
    write = READ | WRITE_FILE | MAKE_AND_REMOVE | (TRUNCATE if version >= 3 else 0)
    for paths, rights in ((readable, READ), (writable, write)):
        for path in paths:
            try:
                handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
            except FileNotFoundError:
                continue
            try:
                allowed = rights if os.path.isdir(path) else rights & (EXECUTE | READ_FILE | WRITE_FILE | TRUNCATE)
                rule = struct.pack("=Qi", allowed & handled, handle)
                _checked(libc.syscall(ADD_RULE, ruleset, RULE_PATH_BENEATH, rule, 0), f"landlock_add_rule {path}")
            finally:
                os.close(handle)
    _prctl(PR_SET_NO_NEW_PRIVS, 1)
    _checked(libc.syscall(RESTRICT_SELF, ruleset, 0), "landlock_restrict_self")
    os.close(ruleset)


# System calls ---------------------------------------------------------------------------------------------------------

# Numbers on x86-64 and on 64-bit ARM; None where a machine has no such call.
NUMBERS: dict[str, tuple[int | None, int | None]] = {
    "fork": (57, None), "vfork": (58, None), "clone": (56, 220), "clone3": (435, 435),
    "execve": (59, 221), "execveat": (322, 281),
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "kcmp": (312, 272),
    "pidfd_getfd": (438, 438), "pidfd_send_signal": (424, 424), "process_madvise": (440, 440),
    "kill": (62, 129), "tgkill": (234, 131), "tkill": (200, 130), "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240), "prlimit64": (302, 261), "setpriority": (141, 140), "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119), "sched_setattr": (314, 274), "sched_setaffinity": (203, 122),
    "ioprio_set": (251, 30), "move_pages": (279, 239), "migrate_pages": (256, 238),
    "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41),
    "chroot": (161, 51), "move_mount": (429, 429), "open_tree": (428, 428), "fsopen": (430, 430),
    "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433), "mount_setattr": (442, 442),
    "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265), "quotactl": (179, 60), "acct": (163, 89),
    "swapon": (167, 224), "swapoff": (168, 225), "reboot": (169, 142), "kexec_load": (246, 104),
    "kexec_file_load": (320, 294), "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106),
    "bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282), "keyctl": (250, 219),
    "add_key": (248, 217), "request_key": (249, 218), "io_uring_setup": (425, 425), "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427), "personality": (135, 92), "syslog": (103, 116), "settimeofday": (164, 170),
    "clock_settime": (227, 112), "adjtimex": (159, 171), "clock_adjtime": (305, 266), "sethostname": (170, 161),
    "setdomainname": (171, 162), "socket": (41, 198), "memfd_create": (319, 279), "memfd_secret": (447, 447),
    "shmget": (29, 194), "shmat": (30, 196), "semget": (64, 190), "msgget": (68, 186), "mq_open": (240, 180),
    "ioperm": (173, None), "iopl": (172, None), "lookup_dcookie": (212, 18), "vhangup": (153, 58),
    "setrlimit": (160, 164), "fanotify_init": (300, 262), "inotify_init1": (294, 26), "inotify_init": (253, None),
    "ioctl": (16, 29), "prctl": (157, 167),
}  # fmt: skip
ALLOWED_FOR_ONESELF = ("kill", "tgkill", "prlimit64")
NEEDED_TO_START_PROCESSES = ("fork", "vfork", "clone", "execve", "execveat")
TYPE_INTO_TERMINAL = (0x5412, 0x541C)  # TIOCSTI and TIOCLINUX

ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
EPERM, ENOSYS = 1, 38
LOAD, EQUAL, ANY_BIT, AT_LEAST, RETURN = 0x20, 0x15, 0x45, 0x35, 0x06
ALLOW, FAIL, KILL = 0x7FFF0000, 0x00050000, 0x80000000


def forbid_system_calls(may_start_processes: bool = False) -> None:
    """Take away the system calls that have no place in an exercise.

    Other processes: to start them (unless allowed), to signal, trace or hamper them. Name spaces, mounts, handles, modules,
    keys, new sockets, memory that no limit counts, a terminal's input. Each fails with "operation not permitted".
    """
    if platform.machine() not in ARCHITECTURES or sys.byteorder != "little":
        raise OSError(f"no list of system calls for {platform.machine()}")
    column, architecture = ARCHITECTURES[platform.machine()]
    program = seccomp_program(column, architecture, os.getpid(), may_start_processes)
    buffer = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("@HP", len(program) // 8, ctypes.addressof(buffer))
    _prctl(PR_SET_NO_NEW_PRIVS, 1)
    result = _libc().prctl(PR_SET_SECCOMP, ctypes.c_ulong(SECCOMP_MODE_FILTER), header, 0, 0)
    _checked(result, "seccomp")


def seccomp_program(column: int, architecture: int, pid: int, may_start_processes: bool) -> bytes:
    """The filter as the kernel reads it: instructions (code, jump if true, jump if false, operand) of eight bytes."""
    refuse = _step(RETURN, FAIL | EPERM)
    steps = [_step(LOAD, 4), _step(EQUAL, architecture, 1, 0), _step(RETURN, KILL), _step(LOAD, 0)]
    if column == 0:  # the 32-bit calls that x86-64 offers beside its own
        steps += [_step(AT_LEAST, 0x40000000, 0, 1), refuse]
    for name, numbers in NUMBERS.items():
        number = numbers[column]
        if number is None or (may_start_processes and name in NEEDED_TO_START_PROCESSES):
            continue
        if name == "clone":  # threads may be started
            body = [_argument(0), _step(ANY_BIT, CLONE_THREAD, 1, 0), refuse]
        elif name == "clone3":  # its flags are in memory, out of sight: the C library then takes clone
            body = [_step(RETURN, FAIL | ENOSYS)]
        elif name in ALLOWED_FOR_ONESELF:
            zero = [_step(EQUAL, 0, 2, 0)] if name == "prlimit64" else []
            body = [_argument(0), *zero, _step(EQUAL, pid, 1, 0), refuse]
        elif name == "ioctl":
            body = [_argument(1), *(s for code in TYPE_INTO_TERMINAL for s in (_step(EQUAL, code, 0, 1), refuse))]
        elif name == "prctl":  # to outlive the parent
            body = [_argument(0), _step(EQUAL, PR_SET_PDEATHSIG, 0, 1), refuse]
        else:
            body = [refuse]
        if body[0] is not refuse:
            body.append(_step(LOAD, 0))  # the number again, for those that follow
        steps += [_step(EQUAL, number, 0, len(body)), *body]
    return b"".join([*steps, _step(RETURN, ALLOW)])


def _argument(which: int) -> bytes:
    """Load the lower half of an argument."""
    return _step(LOAD, 16 + 8 * which)


def _step(code: int, operand: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, operand)


def kill_descendants(keep: Sequence[int] = ()) -> None:
    """Kill and bury every process that descends from this one, however it has hidden; for one that adopts orphans."""
    import contextlib
    import signal

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
