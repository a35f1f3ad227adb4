// A server with a lost update: reads a number, waits, writes it back one larger. HTTP/1.1 and h2c, on two ports; the parent is told of them.
import http from "node:http";
import http2 from "node:http2";

let balance = 0;

async function handle(request, response) {
  if (request.url === "/balance") return void response.end(String(balance));
  if (request.url === "/reset") {
    balance = 0;
    return void response.end();
  }
  if (request.method === "POST") for await (const _ of request);
  const read = balance;
  await gap(Number(request.headers["x-gap"]));
  balance = read + 1;
  response.end(String(balance));
}

/** Microseconds; 0 is one turn of the event loop. */
async function gap(us) {
  const until = process.hrtime.bigint() + BigInt(us * 1000);
  do await new Promise((resolve) => setImmediate(resolve));
  while (process.hrtime.bigint() < until);
}

const listener = (request, response) => void handle(request, response);
const servers = [http.createServer(listener), http2.createServer(listener)];
for (const server of servers) await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
process.send(servers.map((server) => server.address().port));
process.on("disconnect", () => process.exit());
