"""One request over HTTP/3 with aioquic: URL, CA file, headers and body as JSON on stdin; status, headers and body as JSON on stdout."""

import asyncio
import json
import ssl
import sys
from urllib.parse import urlsplit

from aioquic.asyncio import connect
from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.h3.connection import H3_ALPN, H3Connection
from aioquic.h3.events import DataReceived, HeadersReceived
from aioquic.quic.configuration import QuicConfiguration


class Client(QuicConnectionProtocol):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.http = H3Connection(self._quic)
        self.answer = {"headers": {}, "body": b"", "chunks": 0}
        self.done = asyncio.get_running_loop().create_future()

    def quic_event_received(self, event):
        for received in self.http.handle_event(event):
            if isinstance(received, HeadersReceived):
                for name, value in received.headers:
                    self.answer["headers"][name.decode()] = value.decode()
            if isinstance(received, DataReceived):
                self.answer["body"] += received.data
                self.answer["chunks"] += 1
            if getattr(received, "stream_ended", False) and not self.done.done():
                self.done.set_result(None)

    async def ask(self, wanted, url):
        stream = self._quic.get_next_available_stream_id()
        body = wanted.get("body", "").encode()
        path = url.path + (f"?{url.query}" if url.query else "")
        authority = wanted.get("authority", url.netloc)
        pseudo = {":method": wanted["method"], ":scheme": "https", ":authority": authority, ":path": path}
        headers = {**pseudo, **wanted.get("headers", {})}
        fields = [(name.encode(), value.encode()) for name, value in headers.items()]
        self.http.send_headers(stream, fields, end_stream=not body)
        if body:
            self.http.send_data(stream, body, end_stream=True)
        self.transmit()
        await asyncio.wait_for(self.done, 60)
        return self.answer


async def main():
    wanted = json.load(sys.stdin)
    url = urlsplit(wanted["url"])
    configuration = QuicConfiguration(alpn_protocols=H3_ALPN, is_client=True, server_name="localhost")
    configuration.load_verify_locations(wanted["ca"])
    configuration.verify_mode = ssl.CERT_REQUIRED
    async with connect(url.hostname, url.port, configuration=configuration, create_protocol=Client) as client:
        answer = await client.ask(wanted, url)
    status = int(answer["headers"].pop(":status"))
    print(json.dumps({**answer, "status": status, "body": answer["body"].decode()}))


asyncio.run(main())
