import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { HttpClient } from "../../../../src/adapters/http/index.ts";
import { clientPartOf, type Exchange } from "../../../../src/model/http/client.ts";
import { Action, Agent, Invariant, World } from "../../../../src/index.ts";
import { some } from "../../../sizes.ts";

const open: Server[] = [];
const sockets = new Set<Socket>();
afterEach(() => {
  for (const server of open.splice(0)) server.close();
  for (const socket of sockets) socket.destroy();
  sockets.clear();
});

/** Bytes of an answer, and whether the connection is closed behind them. */
interface Answer {
  readonly bytes: string | Buffer;
  readonly closes?: boolean;
}

/** A server that answers `GET /<name>` with the bytes of that name, on connections that are kept. */
async function serve(answers: Readonly<Record<string, Answer>>): Promise<{ readonly url: string; readonly connections: () => number }> {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    sockets.add(socket);
    socket.on("error", () => undefined);
    let text = "";
    socket.on("data", (data) => {
      text += data.toString("latin1");
      for (let end = text.indexOf("\r\n\r\n"); end >= 0; end = text.indexOf("\r\n\r\n")) {
        const name = /^\S+ \/(\w*)/.exec(text)![1]!;
        text = text.slice(end + 4);
        const { bytes, closes } = answers[name] ?? { bytes: ok("{}") };
        const raw = typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes;
        if (closes === true) socket.end(raw);
        else socket.write(raw);
      }
    });
  });
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, connections: () => connections };
}

const ok = (body: string, headers = ""): string => `HTTP/1.1 200 OK\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const encoded = (encoding: string, body: Buffer): Answer => ({
  bytes: Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\ncontent-encoding: ${encoding}\r\ncontent-length: ${body.length}\r\n\r\n`), body]),
});
const chunked = (rest: string): string => `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${rest}`;

const STATUS_LINE = "it does not begin with a status line of HTTP";
const HEADER_LINE = "it has a malformed header line";
const CONTRADICTION = "its headers content-length and transfer-encoding contradict each other";
const CONTROL = "the value of a header contains a control character";
const SHORT = "its body is shorter than its content-length header says";

/** Answers that are not HTTP, and why not. */
const WRONG: Readonly<Record<string, Answer & { readonly why: string }>> = {
  otherProtocol: { bytes: "SSH-2.0-OpenSSH_9.9\r\n", why: STATUS_LINE },
  bodyAlone: { bytes: '{"ok":true}', why: STATUS_LINE },
  version: { bytes: "HTTP/3.9 200 OK\r\ncontent-length: 2\r\n\r\nok", why: "its status line names an HTTP version other than 1.0 and 1.1" },
  version2: {
    bytes: "HTTP/2.0 200 OK\r\ncontent-length: 2\r\n\r\nok",
    why: "its status line names an HTTP version other than 1.0 and 1.1",
  },
  wordStatus: { bytes: "HTTP/1.1 fine OK\r\n\r\n", why: "its status is not a number of three digits" },
  shortStatus: { bytes: "HTTP/1.1 20 OK\r\n\r\n", why: "its status is not a number of three digits" },
  longStatus: { bytes: "HTTP/1.1 2000 OK\r\n\r\n", why: "its status is not a number of three digits" },
  headerName: { bytes: "HTTP/1.1 200 OK\r\nbad name: x\r\ncontent-length: 2\r\n\r\nok", why: HEADER_LINE },
  headerBehindLength: { bytes: "HTTP/1.1 200 OK\r\ncontent-length: 2\r\nbad name: x\r\n\r\nok", why: HEADER_LINE },
  noColon: { bytes: "HTTP/1.1 200 OK\r\nnonsense\r\ncontent-length: 2\r\n\r\nok", why: HEADER_LINE },
  twoStatusLines: { bytes: "HTTP/1.1 200 OK\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok", why: HEADER_LINE },
  nullByte: { bytes: "HTTP/1.1 200 OK\r\nx-a: a\0b\r\ncontent-length: 2\r\n\r\nok", why: CONTROL },
  nullByteBehindLength: { bytes: "HTTP/1.1 200 OK\r\ncontent-length: 2\r\nx-a: a\0b\r\n\r\nok", why: CONTROL },
  folded: { bytes: "HTTP/1.1 200 OK\r\nx-a: a\r\n b\r\ncontent-length: 2\r\n\r\nok", why: "a header continues on a second line" },
  lineFeeds: { bytes: "HTTP/1.1 200 OK\ncontent-length: 2\n\nok", why: "a line does not end with CR LF" },
  headers64: { bytes: ok("ok", `x-a: ${"a".repeat(70_000)}\r\n`), why: "its header block is larger than 64 KB" },
  manyHeaders: {
    bytes: ok("ok", Array.from({ length: 700 }, (_, i) => `x-${i}: ${"a".repeat(100)}\r\n`).join("")),
    why: "its header block is larger than 64 KB",
  },
  endlessHeaders: { bytes: `HTTP/1.1 200 OK\r\nx-a: ${"a".repeat(200_000)}`, why: "its header block is larger than 64 KB" },
  lengthAndChunks: {
    bytes: "HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    why: CONTRADICTION,
  },
  chunksAndLength: {
    bytes: "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    why: CONTRADICTION,
  },
  twoLengths: {
    bytes: "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nok",
    why: "it has several content-length headers",
  },
  wordLength: { bytes: "HTTP/1.1 200 OK\r\ncontent-length: two\r\n\r\nok", why: "its content-length header is not a number" },
  negativeLength: { bytes: "HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\nok", why: "its content-length header is not a number" },
  bodyOf204: {
    bytes: "HTTP/1.1 204 No Content\r\ncontent-length: 2\r\n\r\nok",
    why: "its status 204 allows no body, but its content-length header announces a body",
  },
  shortBody: { bytes: "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf", closes: true, why: SHORT },
  shortLastBody: { bytes: "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 100\r\n\r\nhalf", closes: true, why: SHORT },
  chunkSize: { bytes: chunked("zz\r\nok\r\n0\r\n\r\n"), why: "the size of a chunk of its body is not a hexadecimal number" },
  chunkLength: { bytes: chunked("1\r\nokay\r\n0\r\n\r\n"), why: "a chunk of its body is longer than the size in front of the chunk" },
  noLastChunk: { bytes: chunked("5\r\nhe"), closes: true, why: "its body ends before its last chunk" },
  noLastChunkOfLast: {
    bytes: "HTTP/1.1 200 OK\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhe",
    closes: true,
    why: "its body ends before its last chunk",
  },
  halfHeaders: { bytes: "HTTP/1.1 200 OK\r\nx-a: ", closes: true, why: "it ends in the middle of its header lines" },
  interimAlone: {
    bytes: "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n",
    closes: true,
    why: "the interim answer 103 was not followed by a final answer",
  },
  upgrade: {
    bytes: "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n",
    why: "it switches to another protocol (status 101), although the request did not ask for that",
  },
  gzip: { ...encoded("gzip", Buffer.from("not compressed")), why: "its content-encoding is gzip, but its body is not in that encoding" },
  gzipCut: {
    ...encoded("gzip", gzipSync("x".repeat(1000)).subarray(0, 20)),
    why: "its content-encoding is gzip, but its body is not in that encoding",
  },
  deflate: {
    ...encoded("deflate", Buffer.from("not compressed")),
    why: "its content-encoding is deflate, but its body is not in that encoding",
  },
  brotli: { ...encoded("br", Buffer.from("not compressed")), why: "its content-encoding is br, but its body is not in that encoding" },
};

const BODY = '{"ok":true}';
/** Answers that look like those above, and are HTTP. */
const RIGHT: Readonly<Record<string, Answer & { readonly text?: string }>> = {
  plain: { bytes: ok(BODY) },
  version10: { bytes: `HTTP/1.0 200 OK\r\ncontent-length: ${BODY.length}\r\n\r\n${BODY}`, closes: true },
  noReason: { bytes: `HTTP/1.1 200\r\ncontent-length: ${BODY.length}\r\n\r\n${BODY}` },
  untilTheEnd: { bytes: `HTTP/1.1 200 OK\r\n\r\n${BODY}`, closes: true },
  headers20: { bytes: ok(BODY, `x-a: ${"a".repeat(20_000)}\r\n`) },
  headers60: { bytes: ok(BODY, `x-a: ${"a".repeat(60_000)}\r\n`) },
  latinHeader: { bytes: ok(BODY, "x-a: \xe9\r\n") },
  chunks: { bytes: chunked(`5;name=value\r\n${BODY.slice(0, 5)}\r\n6\r\n${BODY.slice(5)}\r\n0\r\nx-trailer: a\r\n\r\n`) },
  interim: { bytes: `HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${ok(BODY)}` },
  goOn: { bytes: `HTTP/1.1 100 Continue\r\n\r\n${ok(BODY)}` },
  gzip: encoded("gzip", gzipSync(BODY)),
  deflate: encoded("deflate", deflateSync(BODY)),
  rawDeflate: encoded("deflate", deflateRawSync(BODY)),
  brotli: encoded("BR", brotliCompressSync(BODY)),
  twice: encoded("deflate, gzip", gzipSync(deflateSync(BODY))),
  empty: { ...encoded("gzip", Buffer.alloc(0)), text: "" },
  status304: { bytes: "HTTP/1.1 304 Not Modified\r\ncontent-length: 11\r\n\r\n", text: "" },
};

describe("an answer that is not HTTP", () => {
  it.each(Object.entries(WRONG))("%s is an error that says why, also on a connection that is in use", async (name, { why, ...answer }) => {
    const { url } = await serve({ [name]: answer });
    const api = new HttpClient(url, { timeout: 10 });
    const exchanges: Exchange[] = [];
    clientPartOf(api)!.listen((exchange) => exchanges.push(exchange));
    for (const before of [0, 1]) {
      if (before === 1) await api.get("/before");
      const error = await api.get(`/${name}?token=1`).catch((caught: unknown) => caught);
      expect(error).toMatchObject({
        code: "ANSWER_INVALID",
        message: expect.stringMatching(/^The answer to GET http:\S+ is not valid HTTP: /),
        why,
        request: `GET /${name}`,
        hint: expect.stringMatching(/^(Check|Send) /),
      });
      expect(exchanges.at(-1)).toMatchObject({ kind: "failure", reason: "invalid", error });
    }
    expect((await api.get("/after")).statusCode).toBe(200);
    await api.close();
  });

  it("is none where it is only unusual", async () => {
    const { url } = await serve(RIGHT);
    const api = new HttpClient(url, { timeout: 10 });
    for (const [name, { text = BODY }] of [...Object.entries(RIGHT), ...Object.entries(RIGHT)]) {
      expect([name, (await api.get(`/${name}`)).text]).toEqual([name, text]);
    }
    expect((await api.head("/gzip").catch(() => undefined))?.text ?? "").toBe("");
    await api.close();
  });

  it("from a handler of this process is told by its encoding", async () => {
    const api = new HttpClient((request) => {
      const body = request.url.endsWith("/right") ? new Uint8Array(gzipSync(BODY)) : "no gzip";
      return new Response(body, { headers: { "content-encoding": "gzip" } });
    });
    expect((await api.get("/right")).json()).toEqual({ ok: true });
    await expect(api.get("/wrong")).rejects.toMatchObject({ code: "ANSWER_INVALID" });
  });
});

describe("an exploration of a target that does not always speak HTTP", () => {
  const get = (name: string): Action => new Action({ name, run: (api) => api.get(`/${name}`) });

  it("has a finding for each kind, that names it, is confirmed, and costs no rebuild", async () => {
    const { url } = await serve(WRONG);
    const kinds = some(Object.entries(WRONG), 12);
    const agent = new Agent({
      world: () => new World({ api: new HttpClient(url, { timeout: 10 }) }),
      actions: [...kinds.map(([name]) => name), "fine"].map(get),
      invariants: [],
    });
    const notes: string[] = [];
    const result = await agent.explore({ onEvent: (event) => void (event.kind === "note" && notes.push(event.message)) });
    const found = kinds.map(([name, { why }]) => ({
      invariant: "invalid_http_answer",
      severity: "high",
      confirmed: true,
      reproductionPath: [name],
      message: `The answer to GET /${name} is not valid HTTP: ${why}`,
    }));
    expect(result.violations).toMatchObject(found);
    expect(result.violations).toHaveLength(found.length);
    expect([result.errors, result.divergences]).toEqual([[], []]);
    expect(notes.filter((note) => /lost|rebuil/.test(note))).toEqual([]);
  });

  it("has none where all answers are HTTP", async () => {
    const { url } = await serve(RIGHT);
    const agent = new Agent({
      world: () => new World({ api: new HttpClient(url, { timeout: 10 }) }),
      actions: Object.keys(RIGHT).map(get),
      invariants: [],
    });
    expect(await agent.explore()).toMatchObject({ violations: [], errors: [], divergences: [] });
  });

  it("names the invariant whose request was answered so", async () => {
    const { url } = await serve({ sums: WRONG["headerName"]! });
    const agent = new Agent({
      world: () => new World({ api: new HttpClient(url, { timeout: 10 }) }),
      actions: [get("fine")],
      invariants: [new Invariant({ name: "sums_add_up", check: async (world) => (await world.api.get("/sums")).ok })],
    });
    const { violations, errors } = await agent.explore();
    const message = `The answer to GET /sums, a request of sums_add_up, is not valid HTTP: ${HEADER_LINE}`;
    expect(violations).toMatchObject([{ invariant: "invalid_http_answer", message, reproductionPath: [] }]);
    expect(errors).toEqual([]);
  });

  it("is a crash still, where the target is gone after half an answer", async () => {
    const server = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", () => {
        server.close();
        socket.end("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf");
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const api = new HttpClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    await expect(api.get("/")).rejects.toMatchObject({ code: "TARGET_UNREACHABLE" });
  });
});
