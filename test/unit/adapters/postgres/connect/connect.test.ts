import { createServer, type AddressInfo, type Socket } from "node:net";
import { expect, test } from "vitest";
import { connect } from "../../../../../src/adapters/postgres/connect/connect.ts";
import { storeUrl } from "../../../../../src/adapters/postgres/connect/store-url.ts";
import { afterEveryTest } from "../../../../support/at-end.ts";

const ended: (() => void)[] = [];
afterEveryTest(() => {
  for (const end of ended.splice(0)) end();
});

interface Fake {
  /** The process id that the server sends to each client at its start. Default: the one of the client's session. */
  readonly processId?: number;
  /** `transaction`: each transaction gets the free session that was used last. Default: each client has a session of its own. */
  readonly pools?: "transaction";
  readonly standby?: boolean;
}

/** A server that answers the first queries of a connection as PostgreSQL does. */
async function fake({ processId, pools, standby = false }: Fake): Promise<{ url: string; statements: string[]; clients: () => number }> {
  const statements: string[] = [];
  const free = [11, 12, 13];
  let clients = 0;
  const server = createServer((socket) => {
    clients++;
    let session = pools === undefined ? free.shift() : undefined;
    let isOpen = false;
    ended.push(() => socket.destroy());
    onMessages(socket, (type, body) => {
      if (type === "") {
        const key = [processId ?? session ?? 0, 0].map(int32).join("");
        return message("R", int32(0)) + message("K", key) + message("Z", "I");
      }
      const sql = body.slice(0, -1);
      statements.push(sql);
      session ??= free.shift();
      if (sql === "begin") isOpen = true;
      if (sql === "commit") isOpen = false;
      const row = ["150000", String(session), String(standby)].map((text) => int32(text.length) + text).join("");
      const names = ["v", "pid", "standby"].map((name) => `${name}\0${"\0".repeat(6)}${int32(25)}\0\0${int32(-1)}\0\0`).join("");
      if (pools === "transaction" && !isOpen) {
        free.unshift(session!);
        session = undefined;
      }
      const rows = sql.startsWith("select") ? message("T", `\0\x03${names}`) + message("D", `\0\x03${row}`) : "";
      return rows + message("C", "DONE\0") + message("Z", isOpen ? "T" : "I");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ended.push(() => server.close());
  return { url: `postgresql://me@127.0.0.1:${(server.address() as AddressInfo).port}/shop`, statements, clients: () => clients };
}

function int32(value: number): string {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes.toString("latin1");
}

const message = (type: string, body: string): string => type + int32(body.length + 4) + body;

/** Sends the reply to each message of a client. The first message has no type. */
function onMessages(socket: Socket, reply: (type: string, body: string) => string): void {
  let [text, first] = ["", true];
  socket.on("data", (chunk: Buffer) => {
    text += chunk.toString("latin1");
    for (;;) {
      const at = first ? 0 : 1;
      const end = at + (text.length < at + 4 ? Infinity : Buffer.from(text, "latin1").readInt32BE(at));
      if (text.length < end) return;
      const [type, body] = [text.slice(0, at), text.slice(at + 4, end)];
      text = text.slice(end);
      first = false;
      if (type === "X") socket.end();
      else socket.write(reply(type, body), "latin1");
    }
  });
}

test("a server is asked one question before the settings, on one connection", async () => {
  const { url, statements, clients } = await fake({});
  const client = await connect(storeUrl(url), { settings: { jit: "off" } });
  expect(statements.map((sql) => sql.split(" ")[0])).toEqual(["select", "set"]);
  expect(clients()).toBe(1);
  await client.end();
});

test("a pooler of transactions is refused before any setting reaches its sessions", async () => {
  const { url, statements } = await fake({ processId: 777, pools: "transaction" });
  await expect(connect(storeUrl(url), { settings: { jit: "off" } })).rejects.toMatchObject({
    code: "STORE_UNSUPPORTED",
    exitStatus: 2,
    hint: expect.stringContaining("5432 instead of 6543"),
  });
  expect(statements.filter((sql) => !/^(?:select|begin|commit)/.test(sql))).toEqual([]);
});

test("a pooler of sessions is used", async () => {
  const { url, statements } = await fake({ processId: 777 });
  const client = await connect(storeUrl(url), { settings: { jit: "off" } });
  expect(statements.at(-1)).toMatch(/^set/);
  await client.end();
});

test("a standby is refused, and the primary asked for", async () => {
  const { url } = await fake({ standby: true });
  await expect(connect(storeUrl(url))).rejects.toMatchObject({
    code: "STORE_NOT_WRITABLE",
    exitStatus: 2,
    hint: expect.stringContaining("primary"),
  });
});
