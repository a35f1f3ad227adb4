import http2 from "node:http2";
import type { AddressInfo } from "node:net";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { HeldRequest } from "../../../../../src/adapters/http/delivery/held-request.ts";
import { Http2Delivery } from "../../../../../src/adapters/http/delivery/http2-delivery.ts";
import { Deadlines } from "../../../../../src/adapters/http/transport/deadlines.ts";

/** The answer, over HTTP/2, of a server that sends this body with this encoding. */
async function answered(encoding: string, body: Buffer): Promise<{ readonly text: string }> {
  const server = http2.createServer((_request, response) => response.writeHead(200, { "content-encoding": encoding }).end(body));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const delivery = new Http2Delivery(origin, undefined);
  onTestFinished(() => delivery.close());
  const request = { method: "GET", path: "/", url: `${origin}/`, headers: {}, body: undefined, timeoutMs: 5_000, signal: undefined };
  const held = new HeldRequest({ side: 0, request, own: () => Promise.reject(new Error("not used")), offset: 0 }, new Deadlines());
  held.take();
  delivery.launch([held]);
  return held.answer;
}

describe("an answer over HTTP/2", () => {
  it.each([
    ["gzip", gzipSync('{"n":1}')],
    ["br", brotliCompressSync('{"n":1}')],
    ["identity", Buffer.from('{"n":1}')],
  ])("is decoded from %s", async (encoding, body) => {
    expect((await answered(encoding, body)).text).toBe('{"n":1}');
  });

  it("in another encoding than it says is an invalid answer", async () => {
    await expect(answered("gzip", Buffer.from("{}"))).rejects.toMatchObject({ code: "ANSWER_INVALID" });
  });
});
