// The minimum that a server of node:http does for a request: it has no store and gives the same answer to all requests.
import { createServer } from "node:http";

const BODY = JSON.stringify({ id: 1, amount: 100, refunded: 0, status: "created", shipped: 0 });
const HEADERS = { "content-type": "application/json", "content-length": Buffer.byteLength(BODY) };

createServer((_request, response) => response.writeHead(201, HEADERS).end(BODY)).listen(Number(process.env.PORT), "127.0.0.1");
