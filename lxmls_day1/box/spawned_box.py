"""A box on a system without fork: a process of its own that connects to whoever asked for it, on this machine.

`lxmls_day1.box.spawning_server` starts it with a port, a token that proves who it is, and its request.
"""

import json
import os
import socket
import sys
from pathlib import Path

from lxmls_day1.box.box_server import MOST_REQUEST, BoxServer, prepare_process
from lxmls_day1.box.channel import Channel, Ended
from lxmls_day1.box.limits import ProcessLimits
from lxmls_day1.box.messages import decoded_request
from lxmls_day1.box.programs import made_program


def main(port: str, token: str, request: str) -> None:
    """Connect, say who it is, and serve.

    Parameters
    ----------
    port : str
        Where that listens on this machine.
    token : str
        Bytes in hexadecimal digits: the first that it wants to read.
    request : str
        JSON: the program, its folder, and the limits.
    """
    connection = socket.create_connection(("127.0.0.1", int(port)))
    connection.sendall(bytes.fromhex(token))
    content = json.loads(request)
    channel = Channel(connection, MOST_REQUEST, decode=decoded_request)
    folder = Path(content["folder"])
    os.chdir(folder)
    prepare_process()
    limits = ProcessLimits(**content["limits"])
    limits.apply_processor_time()
    channel.send({"value": "ready"})
    try:
        BoxServer(folder, limits.reply, made_program(*content["program"])).serve(channel)
    except Ended:
        sys.exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
