// A server with a lost update: it reads a number, waits, and writes the number plus one. It serves HTTP/1.1 and h2c on two ports, and sends the port
// numbers to its parent process.
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

/** Waits. @param us The time in microseconds; 0 waits for one turn of the event loop. */
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
