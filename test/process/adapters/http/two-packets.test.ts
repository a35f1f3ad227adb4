import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import type http from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { HttpClient } from "../../../../src/adapters/http/index.ts";
import { clientPartOf } from "../../../../src/model/http/client.ts";
import { privateAuthority } from "../../../support/certificates.ts";
import { closeServers, read, serveTls, serveWith } from "../../../support/http-servers.ts";

const clients: HttpClient[] = [];
const children: ReturnType<typeof spawn>[] = [];

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  for (const child of children.splice(0)) child.kill("SIGKILL");
  await closeServers();
});

/** More requests than three trials take: the server was found, or is not going to be. */
const MANY = 60;

/** Answers with head and body in two packets, as many frameworks for scripts do. */
function inTwoPackets(request: http.IncomingMessage, response: http.ServerResponse): void {
  void read(request).then((body) => {
    const text = JSON.stringify({ method: request.method, url: request.url, headers: request.headers, body });
    request.socket.setNoDelay(false);
    response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
    response.flushHeaders();
    setImmediate(() => response.end(text));
  });
}

function inOne(request: http.IncomingMessage, response: http.ServerResponse): void {
  void read(request).then((body) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ method: request.method, url: request.url, headers: request.headers, body }));
  });
}

interface Counted {
  readonly url: string;
  /** Connections that the server accepted. */
  readonly accepted: () => number;
  readonly open: () => Promise<number>;
}

async function counted(listener: http.RequestListener): Promise<Counted> {
  const { url, server } = await serveWith(listener);
  let accepted = 0;
  server.on("connection", () => accepted++);
  const open = (): Promise<number> => new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));
  return { url, accepted: () => accepted, open };
}

function clientOf(url: string, options?: ConstructorParameters<typeof HttpClient>[1]): HttpClient {
  const client = new HttpClient(url, options);
  clients.push(client);
  return client;
}

const found = (client: HttpClient): boolean => clientPartOf(client)?.twoPackets === true;

/** Sends and compares what the server was asked. */
async function sendMany(client: HttpClient, times: number): Promise<void> {
  for (let turn = 0; turn < times; turn++) {
    const response = await client.post(`/orders/${turn}`, { json: { turn } });
    expect(response.json()).toMatchObject({ url: `/orders/${turn}`, body: JSON.stringify({ turn }) });
  }
}

/** Sends until the server is found out. A busy machine can make many trials fail, so there is no exact number of requests. */
async function untilFound(
  client: HttpClient,
  send: (turn: number) => Promise<unknown> = (turn) => client.get(`/until/${turn}`),
): Promise<void> {
  for (let turn = 0; turn < 1500 && !found(client); turn++) await send(turn);
  expect(found(client)).toBe(true);
}

describe("a server that answers in two packets", () => {
  it("gets a connection per request, one at a time", async () => {
    const server = await counted(inTwoPackets);
    const client = clientOf(server.url);
    await untilFound(client);
    const before = server.accepted();
    await sendMany(client, 20);
    expect(server.accepted()).toBe(before + 20);
    await expect.poll(server.open).toBe(0);
  });

  it("is sent the same on a connection of its own as on a kept one", async () => {
    const { url } = await counted(inTwoPackets);
    const client = clientOf(url, { headers: { "x-own": "1" } });
    const echo = async (): Promise<unknown> => {
      const response = await client.put("/same", { json: { a: 1 } });
      const { date: _date, ...headers } = response.headers;
      return { sent: response.request, headers, answer: response.json() };
    };
    const kept = await echo();
    await untilFound(client);
    expect(await echo()).toEqual(kept);
  });

  it("serves requests side by side on connections of their own", async () => {
    const server = await counted(inTwoPackets);
    const client = clientOf(server.url);
    await untilFound(client);
    const before = server.accepted();
    const answers = await Promise.all(Array.from({ length: 20 }, (_, turn) => client.get(`/side/${turn}`)));
    expect(answers.map((answer) => answer.json<{ url: string }>().url)).toEqual(answers.map((_, turn) => `/side/${turn}`));
    expect(server.accepted()).toBe(before + 20);
    await expect.poll(server.open).toBe(0);
  });

  it("is found by all clients of its origin together", async () => {
    const { url } = await counted(inTwoPackets);
    const [one, other] = [clientOf(url), clientOf(url)];
    await other.get("/first");
    await untilFound(one);
    expect(found(other)).toBe(true);
  });

  it("keeps its cookies, and says what failed", async () => {
    const { url, server } = await serveWith((request, response) => {
      if (request.url === "/end") return request.socket.destroy();
      if (request.url === "/never") return undefined;
      request.socket.setNoDelay(false);
      const text = request.headers.cookie ?? "";
      response.writeHead(200, { "content-length": text.length + 1, "set-cookie": `at=${request.url!.slice(1)}` });
      response.flushHeaders();
      return setImmediate(() => response.end(`${text}.`));
    });
    const client = clientOf(url);
    let last = "";
    await untilFound(client, async (turn) => {
      expect((await client.get(`/${turn}`)).text).toBe(`${last}.`);
      last = `at=${turn}`;
    });
    await expect(client.get("/end")).rejects.toMatchObject({ code: "TARGET_UNREACHABLE" });
    await expect(client.get("/never", { timeout: 0.2 })).rejects.toMatchObject({ code: "REQUEST_TIMEOUT" });
    expect((await client.get("/after")).text).toBe(`${last}.`);
    const { port } = server.address() as AddressInfo;
    await closeServers();
    await expect(client.get("/gone")).rejects.toMatchObject({ code: "TARGET_UNREACHABLE", message: expect.stringContaining(String(port)) });
  });
});

describe("another server keeps its connection", () => {
  it("one that is fast", async () => {
    const server = await counted(inOne);
    const client = clientOf(server.url);
    await sendMany(client, 200);
    expect(found(client)).toBe(false);
  });

  it("one that works for 40 ms", async () => {
    const server = await counted((request, response) => void setTimeout(() => inOne(request, response), 40));
    const client = clientOf(server.url);
    await sendMany(client, MANY);
    expect(found(client)).toBe(false);
  });

  it("one that works for 40 ms between head and body", async () => {
    const server = await counted((_request, response) => {
      response.writeHead(200, { "content-length": 2 });
      response.flushHeaders();
      setTimeout(() => response.end("ok"), 40);
    });
    const client = clientOf(server.url);
    for (let turn = 0; turn < MANY; turn++) expect((await client.get("/")).text).toBe("ok");
    expect(found(client)).toBe(false);
  });

  it("one that answers in two packets over TLS 1.3, where a new connection waits as long", async () => {
    const own = privateAuthority();
    const client = clientOf(await serveTls({ ...own, noDelay: false }, inTwoPackets), { ca: own.ca });
    await sendMany(client, MANY);
    expect(found(client)).toBe(false);
  });
});

const PYTHON = `
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = int(sys.argv[2])
    def do_GET(self):
        text = self.path.encode()
        self.send_response(200)
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)
    def log_message(self, *_):
        pass
server = {"single": HTTPServer, "threads": ThreadingHTTPServer}[sys.argv[1]](("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
`;

const hasPython = spawnSync("python3", ["--version"]).status === 0;

describe.skipIf(!hasPython)("http.server of Python (skipped where there is no python3)", () => {
  const start = async (kind: string, wbufsize: string): Promise<HttpClient> => {
    const child = spawn("python3", ["-c", PYTHON, kind, wbufsize], { stdio: ["ignore", "pipe", "inherit"] });
    children.push(child);
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    return clientOf(`http://127.0.0.1:${line.toString().trim()}`);
  };
  const send = async (client: HttpClient, turn: number): Promise<void> => {
    expect((await client.get(`/${turn}`)).text).toBe(`/${turn}`);
  };

  it.each(["single", "threads"])("that writes twice is found (%s)", async (kind) => {
    const client = await start(kind, "0");
    await untilFound(client, (turn) => send(client, turn));
    for (let turn = 0; turn < 20; turn++) await send(client, turn);
  });

  it.each(["single", "threads"])("that writes once keeps its connection (%s)", async (kind) => {
    const client = await start(kind, "-1");
    for (let turn = 0; turn < MANY; turn++) await send(client, turn);
    expect(found(client)).toBe(false);
  });
});
