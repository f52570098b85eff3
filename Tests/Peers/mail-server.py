"""A mail server for tests, by aiosmtpd: mail-server.py MODE FOLDER.

Makes a certificate for localhost in FOLDER/cert.pem, prints its port, and serves until its input ends. What it takes is parsed by
Python's email package and written to FOLDER/mail-N.json; what it is sent as commands goes to FOLDER/commands.txt.
"""
import asyncio
import email
import email.policy
import json
import os
import pathlib
import ssl
import subprocess
import sys

from aiosmtpd.smtp import SMTP, AuthResult

mode, folder = sys.argv[1], pathlib.Path(sys.argv[2])
subprocess.run(
    ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
     "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", folder / "key.pem", "-out", folder / "cert.pem"],
    check=True, capture_output=True)
context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
ANSWERS = {"recipient-unknown": "550 no such mailbox", "recipient-busy": "451 try later",
           "content-refused": "554 not wanted", "content-busy": "452 no room"}


class Handler:
    count = 0

    async def handle_RCPT(self, server, session, envelope, address, options):
        if mode.startswith("recipient"):
            return ANSWERS[mode]
        envelope.rcpt_tos.append(address)
        return "250 ok"

    async def handle_DATA(self, server, session, envelope):
        if mode.startswith("content"):
            return ANSWERS[mode]
        parsed = email.message_from_bytes(envelope.content, policy=email.policy.default)
        (folder / f"mail-{self.count}.json").write_text(json.dumps({
            "from": envelope.mail_from, "to": envelope.rcpt_tos, "subject": parsed["Subject"], "date": parsed["Date"],
            "fromHeader": parsed["From"], "toHeader": parsed["To"], "type": parsed.get_content_type(),
            "defects": [str(defect) for part in parsed.walk() for defect in part.defects],
            "text": parsed.get_body(("plain",)).get_content(), "html": parsed.get_body(("html",)).get_content(),
            "bareLineFeeds": envelope.content.replace(b"\r\n", b"").count(b"\n"),
            "longestLine": max(map(len, envelope.content.split(b"\r\n"))), "isSecure": session.ssl is not None,
            "user": session.auth_data.login.decode() if session.auth_data else None}))
        self.count += 1
        if mode == "silent-at-end":
            await asyncio.sleep(3600)
        if mode == "cut-at-end":
            server.transport.abort()
        return "250 taken"


class Server(SMTP):
    async def smtp_DATA(self, argument):
        if mode != "cut-in-data":
            return await super().smtp_DATA(argument)
        await self.push("354 go on")
        await self._reader.read(100)
        self.transport.abort()

    async def smtp_STARTTLS(self, argument):
        if mode != "injecting":
            return await super().smtp_STARTTLS(argument)
        self._writer.write(b"220 ready\r\n250 AUTH PLAIN\r\n")
        await self._writer.drain()

    def data_received(self, data):
        if self.session is None or self.session.ssl is None:
            with open(folder / "commands.txt", "ab") as file:
                file.write(data)
        super().data_received(data)


def authenticate(server, session, envelope, mechanism, data):
    return AuthResult(handled=False, success=(data.login, data.password) == (b"till", "gr\u00fcn 7".encode()), auth_data=data)


async def silent(reader, writer):
    await reader.read()


async def main():
    loop = asyncio.get_running_loop()
    secured = {} if mode in ("plain", "implicit") else {"tls_context": context, "require_starttls": True}
    if mode == "auth":
        secured |= {"auth_required": True, "authenticator": authenticate}
    make = lambda: Server(Handler(), loop=loop, hostname="localhost", **secured)
    if mode == "silent":
        server = await asyncio.start_server(silent, "127.0.0.1", 0)
    else:
        server = await loop.create_server(make, "127.0.0.1", 0, ssl=context if mode == "implicit" else None)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    os._exit(0)


asyncio.run(main())
