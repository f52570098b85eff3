"""A gateway with a REST interface that approves every payment, and has no extensions.

Prints its port. Ends with its standard input.
"""
import http.server
import json
import sys
import threading


class Gateway(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        is_list = "/transactions" in self.path
        self.reply({"data": []} if is_list else {"token": "t0", "tokenType": "Bearer", "expiresIn": 1})

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if "order" not in request:
            return self.reply({"credentialsNumber": "2967531234567894", "merchantReference": request.get("merchantReference")})
        order = request["order"]
        self.reply({
            "uniqueReference": "U1", "order": order, "transactionResult": {
                "type": "SALE", "status": "READY", "approvalCode": "123456", "currency": "EUR", "authorizedAmount": order["totalAmount"],
                "resultCode": "A", "resultMessage": "APPROVAL", "processorResultCode": "00"}})

    def reply(self, document):
        content = json.dumps(document).encode()
        self.send_response_only(200)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Gateway)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_port, flush=True)
sys.stdin.read()
