"""A proxy that answers some requests itself, with a bare status and no body of the gateway's.

usage: stray_status.py UPSTREAM_PORT STATUS METHOD PATH_PART COUNT

The first COUNT requests of METHOD whose path contains PATH_PART get STATUS; all others go to the gateway.
Prints the port. Ends with its standard input.
"""
import http.client
import http.server
import sys
import threading

upstream, status, method, part, left = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4], [int(sys.argv[5])]


class Proxy(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.command == method and part in self.path and left[0] > 0:
            left[0] -= 1
            return self.reply(status, {"Content-Type": "text/html"}, b"<html>no gateway here</html>")
        connection = http.client.HTTPConnection("127.0.0.1", upstream, timeout=20)
        headers = {name: value for name, value in self.headers.items() if name.lower() not in ("host", "connection")}
        connection.request(self.command, self.path, body or None, headers)
        response = connection.getresponse()
        self.reply(response.status, dict(response.getheaders()), response.read())

    def reply(self, code, headers, body):
        self.send_response_only(code)
        for name, value in headers.items():
            if name.lower() not in ("content-length", "connection", "transfer-encoding"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = True

    do_GET = do_POST = do_PATCH = do_OPTIONS = do_DELETE = answer

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_port, flush=True)
sys.stdin.read()
