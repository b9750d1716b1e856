"""A box on a system without fork: a process of its own that connects to the grader on this machine.

`lxmls_day1.box.spawning_server` starts it with the grader's port, a token that proves who it is, and its request.
"""

import json
import os
import socket
import sys
from pathlib import Path

from lxmls_day1.box.channel import Channel, Ended
from lxmls_day1.box.messages import decoded_request
from lxmls_day1.box.server import MOST_REQUEST, BoxServer, prepare_process


def main(port: str, token: str, request: str) -> None:
    """Connect, say who it is, and serve.

    Parameters
    ----------
    port : str
        Where the grader listens on this machine.
    token : str
        Bytes in hexadecimal digits: the first that the grader wants to read.
    request : str
        JSON: the folder of the lab, and the limits.
    """
    connection = socket.create_connection(("127.0.0.1", int(port)))
    connection.sendall(bytes.fromhex(token))
    content = json.loads(request)
    channel = Channel(connection, MOST_REQUEST, decode=decoded_request)
    folder = Path(content["folder"])
    os.chdir(folder)
    prepare_process()
    if os.name == "posix":
        import resource  # not on Windows

        cpu = max(1, int(content["limits"]["cpu"]))
        resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 1))
    channel.send({"value": "ready"})
    try:
        BoxServer(folder, content["limits"]["reply"]).serve(channel)
    except Ended:
        sys.exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
