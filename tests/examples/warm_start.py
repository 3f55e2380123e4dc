"""Stands where a server's command would: `python warm_start.py SOCKET` has a fork take its place (see `warm`).

It imports no more than it needs, for it is what each start costs.
"""

import json
import os
import socket
import sys


def main(address: str) -> None:
    """Hand on folder, environment, stdin, stdout and stderr, and stay until the fork ends."""
    with socket.socket(socket.AF_UNIX) as door:
        door.connect(address)
        told = json.dumps([os.getcwd(), dict(os.environ)]).encode()  # noqa: PTH109  # as above
        socket.send_fds(door, [told], [0, 1, 2])
        for pipe in (0, 1):
            os.close(pipe)  # else the other end would never see that the fork closed it
        door.recv(1)


if __name__ == "__main__":
    main(sys.argv[1])
