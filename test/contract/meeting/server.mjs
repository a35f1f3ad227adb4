// A server in a process of its own, of the kind that it is told; says where it listens, and counts what its handler was called for.
import http from "node:http";
import http2 from "node:http2";
import https from "node:https";

const { kind, cert, key } = JSON.parse(process.env.SERVER);
const counts = {};
/** Who waits at /meet for how many. */
let waiting = [];
const sessions = new Set();

const handlers = {
  "/echo": async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    response.setHeader("set-cookie", [`side=${request.headers["x-side"]}`, "b=2"]);
    response.end(
      JSON.stringify({ method: request.method, side: request.headers["x-side"], body, length: request.headers["content-length"] }),
    );
  },
  // Answers nobody before all are there. It does not read the body.
  "/meet": (request, response, url) => {
    waiting.push(response);
    if (waiting.length < Number(url.searchParams.get("sides"))) return;
    for (const one of waiting) one.end("met");
    waiting = [];
  },
  "/chunked": async (request, response) => {
    for (let part = 0; part < 3; part++) {
      response.write(`${request.headers["x-side"]}.${part} `);
      await new Promise((resolve) => setImmediate(resolve));
    }
    response.end();
  },
  "/hints": (request, response) => {
    response.writeEarlyHints({ link: "</a.css>; rel=preload" });
    response.end(request.headers["x-side"]);
  },
  "/empty": (_request, response) => void response.writeHead(204, { "x-empty": "1" }).end(),
  "/close": (request, response) => {
    response.setHeader("connection", "close");
    response.end(request.headers["x-side"]);
  },
  "/hang": () => undefined,
  "/drop": (request) => request.socket.destroy(),
  "/cut": (request, response) => {
    response.writeHead(200, { "content-length": "100" });
    response.write("half", () => (response.stream === undefined ? request.socket.destroy() : response.stream.close(2)));
  },
  "/long": (_request, response) => {
    const mebibyte = Buffer.alloc(1024 * 1024, "x");
    response.on("error", () => undefined);
    const more = (left) => (left === 0 ? response.end() : response.write(mebibyte, (error) => error ?? more(left - 1)));
    more(65);
  },
};

function handle(request, response) {
  void handled(request, response);
}

async function handled(request, response) {
  const url = new URL(request.url, "http://h");
  counts[url.pathname] = (counts[url.pathname] ?? 0) + 1;
  await handlers[url.pathname](request, response, url);
}

/** Begins with a request when the one before is answered, as most servers do with those of one connection. */
let last = Promise.resolve();
function serially(request, response) {
  const done = new Promise((resolve) => response.on("close", resolve));
  last = last.then(() => Promise.all([handled(request, response), done]));
}

const tls = { cert, key };
const server = {
  http: () => http.createServer(handle),
  serial: () => http.createServer(serially),
  https: () => https.createServer(tls, handle),
  h2c: () => http2.createServer(handle),
  h2: () => http2.createSecureServer(tls, handle),
  h2_and_https: () => http2.createSecureServer({ ...tls, allowHTTP1: true }, handle),
}[kind]();
server.on("session", (session) => {
  sessions.add(session);
  session.on("close", () => sessions.delete(session));
});
// Idle connections end when the test says so, and not by themselves.
server.keepAliveTimeout = 0;
server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }));

process.on("message", (message) => {
  if (message === "close idle") {
    server.closeIdleConnections?.();
    for (const session of sessions) session.close();
  }
  process.send({ counts });
});
process.on("disconnect", () => process.exit());
