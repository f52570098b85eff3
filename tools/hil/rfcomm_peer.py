#!/usr/bin/env python3
"""A reader at a Bluetooth controller: listens on an RFCOMM channel and sends back what it is sent: rfcomm_peer.py ADDRESS CHANNEL

On standard input: close (the connection that is open), quit.
"""
import socket
import sys
import threading


class Peer:
    def __init__(self, address, channel):
        self.listener = socket.socket(socket.AF_BLUETOOTH, socket.SOCK_STREAM, socket.BTPROTO_RFCOMM)
        self.listener.bind((address, channel))
        self.listener.listen(4)
        self.connection = None
        print("listening", flush=True)

    def serve(self):
        while True:
            connection, _ = self.listener.accept()
            self.connection = connection
            threading.Thread(target=self.echo, args=(connection,), daemon=True).start()

    def echo(self, connection):
        try:
            while data := connection.recv(4096):
                connection.sendall(data)
        except OSError:
            pass
        connection.close()

    def close(self):
        self.connection.shutdown(socket.SHUT_RDWR)


def main():
    peer = Peer(sys.argv[1], int(sys.argv[2]))
    threading.Thread(target=peer.serve, daemon=True).start()
    for line in sys.stdin:
        if line.strip() == "close":
            peer.close()
        elif line.strip() == "quit":
            return


if __name__ == "__main__":
    main()
