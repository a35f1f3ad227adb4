// Another process that writes to a Redis database, by a protocol of its own: one line in, a JSON list of commands (lists of strings, one
// character a byte); one line out, how many were refused. argv: host, port, database.
import { connect } from "node:net";
import { createInterface } from "node:readline";

const [host, port, db] = process.argv.slice(2);
const socket = connect({ host, port: Number(port), noDelay: true });
let buffer = Buffer.alloc(0);
const waiting = [];
socket.on("data", (chunk) => {
  buffer = Buffer.concat([buffer, chunk]);
  for (let end; waiting.length > 0 && (end = replyEnd(0)) > 0;) {
    waiting.shift()(buffer[0] === 0x2d ? buffer.subarray(1, end - 2).toString() : undefined);
    buffer = buffer.subarray(end);
  }
});

/** Where the reply that starts here ends; -1: not all of it is there. */
function replyEnd(from) {
  const line = buffer.indexOf("\r\n", from);
  if (line < 0) return -1;
  const [kind, count] = [String.fromCharCode(buffer[from]), Number(buffer.subarray(from + 1, line).toString())];
  if (kind === "$") return count < 0 ? line + 2 : buffer.length < line + 4 + count ? -1 : line + 4 + count;
  let at = line + 2;
  if (kind === "*") for (let i = 0; i < count && at > 0; i++) at = replyEnd(at);
  return at;
}

function send(command) {
  const parts = [Buffer.from(`*${command.length}\r\n`)];
  for (const one of command) {
    const bytes = Buffer.from(one, "latin1");
    parts.push(Buffer.from(`$${bytes.length}\r\n`), bytes, Buffer.from("\r\n"));
  }
  return new Promise((resolve) => {
    waiting.push(resolve);
    socket.write(Buffer.concat(parts));
  });
}

await send(["SELECT", db]);
for await (const line of createInterface({ input: process.stdin })) {
  let failed = 0;
  for (const command of JSON.parse(line)) {
    if (command[0] === "sleep") await new Promise((resolve) => setTimeout(resolve, Number(command[1])));
    else if ((await send(command)) !== undefined) failed++;
  }
  process.stdout.write(`${failed}\n`);
}
socket.end();
