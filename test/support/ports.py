"""Ports of this machine for programs that need a given one."""
import socket

held = []


def free_port():
    """A port of 127.0.0.1 that this process has reserved until its end.

    A port that is bound, but not listened on, is given to nobody who asks for any port, while a
    server with SO_REUSEADDR may listen on it, and again after its end.
    """
    place = socket.socket()
    place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    place.bind(("127.0.0.1", 0))
    held.append(place)
    return place.getsockname()[1]
