import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { HeldWrite, WriteFault } from "../../../model/stores/store-adapter.ts";
import { tlsOptions } from "../../../network/secure-context.ts";
import { Connection, type RawReply } from "../connect/driver.ts";
import type { RedisPlace } from "../connect/redis-url.ts";
import { RequestReader, type Request } from "./requests.ts";

/** An unknown command that the proxy sends in place of a write that must fail. Redis rejects it and discards the transaction that contains it. */
const UNKNOWN = "a-write-that-seqqa-made-fail";
const FAILING = Buffer.from(`*1\r\n$${UNKNOWN.length}\r\n${UNKNOWN}\r\n`);
/**
 * Commands that run scripts or functions. They count as writes, because Redis has no flag that distinguishes scripts that write from scripts that
 * only read.
 */
const SCRIPTS: readonly string[] = ["eval", "evalsha", "fcall"];
/** Matches the beginning of a key that names a kind of keys, such as `cart` in `cart:17`. */
const KIND_OF_KEY = /^([A-Za-z][\w.-]{0,30})(:|$)/;

/** A command with which a lane controls the proxy of its target. Each command is one line of JSON. */
export type FaultOrder =
  | { readonly do: "watch" | "count" | "look" | "drop" | "disarm" }
  | { readonly do: "arm"; readonly write: number; readonly fault: WriteFault };

export interface FaultReply {
  readonly count?: number;
  readonly write?: HeldWrite;
}

interface Armed {
  readonly write: number;
  readonly fault: WriteFault;
}

/**
 * A proxy between a target and a Redis server that makes single writes fail. It forwards everything else unchanged. A connection whose first byte is
 * `{` belongs to the lane, which sends {@link FaultOrder}s. No Redis client begins with that byte.
 */
export class FaultProxy {
  readonly #place: RedisPlace;
  readonly #server: Server;
  readonly #writes: ReadonlySet<string>;
  readonly #sockets = new Set<Socket>();
  /** Connections to the server whose clients have disconnected. The server may still be executing their commands. */
  readonly #ending = new Set<Promise<void>>();
  #armed: Armed | undefined;
  #passed = 0;
  #failed: HeldWrite | undefined;
  /** Closes the connection whose write is being held back; `undefined` if no write is held back. */
  #drop: (() => Promise<void>) | undefined;
  /** Forwards the write that is being held back, without a fault; `undefined` if no write is held back. */
  #pass: (() => void) | undefined;

  private constructor(place: RedisPlace, writes: ReadonlySet<string>) {
    this.#place = place;
    this.#writes = writes;
    this.#server = createServer((socket) => this.#accept(socket));
  }

  /** Starts a proxy on the loopback interface. @throws SeqqaError if the server is unreachable or refuses COMMAND */
  static async start(place: RedisPlace): Promise<FaultProxy> {
    const connection = await Connection.open(place);
    try {
      const proxy = new FaultProxy(place, writesOf((await connection.bytes("COMMAND")) as readonly RawReply[]));
      proxy.#server.listen(0, "127.0.0.1");
      await once(proxy.#server, "listening");
      proxy.#server.unref();
      return proxy;
    } finally {
      connection.close();
    }
  }

  /** The address of the proxy. The target gets it in place of the server's address. */
  get place(): RedisPlace {
    return { ...this.#place, host: "127.0.0.1", port: (this.#server.address() as AddressInfo).port, tls: false };
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #accept(client: Socket): void {
    this.#keep(client);
    client.once("data", (first: Buffer) => {
      client.pause();
      if (first[0] === 0x7b) this.#obey(client, first);
      else this.#forward(client, first);
      client.resume();
    });
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    socket.on("error", () => undefined);
    socket.once("close", () => this.#sockets.delete(socket));
  }

  #forward(client: Socket, first: Buffer): void {
    const { host, port, tls } = this.#place;
    const server = tls ? connectTls({ host, port, ...tlsOptions(host) }) : connect(port, host);
    this.#keep(server);
    const reader = new RequestReader();
    const ended = new Promise<void>((done) => void server.once("close", () => done()));
    const end = async (): Promise<void> => {
      this.#ending.add(ended);
      // Call `end`, not `destroy`: the server then executes the commands that it has received before it closes the connection.
      server.end();
      await ended;
      this.#ending.delete(ended);
    };
    const waiting: Request[] = [];
    let held = false;
    const send = (): void => {
      while (waiting.length > 0 && !held) {
        const request = waiting.shift()!;
        const fault = this.#faultOf(request);
        if (fault === undefined) server.write(request.bytes);
        else if (fault === "error") server.write(FAILING);
        else {
          held = true;
          this.#pass = () => {
            held = false;
            server.write(request.bytes);
            send();
          };
          this.#drop = async () => {
            client.destroy();
            await end();
          };
        }
      }
    };
    const take = (chunk: Buffer): void => {
      waiting.push(...reader.read(chunk));
      send();
    };
    client.on("data", take);
    client.once("close", () => {
      // The client has disconnected. Keep reading the server's replies, so that the server can finish and close the connection.
      server.resume();
      void end();
    });
    server.once("close", () => client.destroy());
    server.on("data", (chunk: Buffer) => {
      if (!client.destroyed && !client.write(chunk)) server.pause();
    });
    client.on("drain", () => server.resume());
    take(first);
  }

  /** Counts a command if it is a write. Returns the fault for this write; `undefined` for none. */
  #faultOf({ name, first }: Request): WriteFault | undefined {
    if (!this.#writes.has(name)) return undefined;
    this.#passed++;
    const armed = this.#armed;
    if (armed === undefined || this.#passed !== armed.write) return undefined;
    const kind = SCRIPTS.includes(name) ? undefined : KIND_OF_KEY.exec(first ?? "")?.[1];
    this.#failed = { statement: kind === undefined ? name.toUpperCase() : `${name.toUpperCase()} ${kind}` };
    return armed.fault;
  }

  #obey(lane: Socket, first: Buffer): void {
    let text = "";
    let turn: Promise<void> = Promise.resolve();
    const take = (chunk: Buffer): void => {
      const lines = (text + chunk.toString("utf8")).split("\n");
      text = lines.pop()!;
      for (const line of lines) {
        // On an error, close the lane's connection, so that the lane does not wait for a reply that never comes.
        turn = turn
          .then(async () => {
            const reply = await this.#follow(JSON.parse(line) as FaultOrder);
            lane.write(`${JSON.stringify(reply)}\n`);
          })
          .catch(() => void lane.destroy());
      }
    };
    lane.on("data", take);
    take(first);
  }

  async #follow(order: FaultOrder): Promise<FaultReply> {
    switch (order.do) {
      case "watch":
      case "arm":
        await this.#disarm();
        await Promise.all(this.#ending);
        this.#passed = 0;
        this.#armed = order.do === "arm" ? order : undefined;
        return {};
      case "count":
        return { count: this.#passed };
      case "look":
        // Close the target's connection before answering the lane. All earlier commands of that connection have then been executed when the lane
        // learns of the fault.
        if (this.#armed?.fault === "cut") await this.#dropHeld();
        return this.#failed === undefined ? {} : { write: this.#failed };
      case "drop":
        await this.#dropHeld();
        return {};
      case "disarm":
        await this.#disarm();
        return {};
    }
  }

  async #dropHeld(): Promise<void> {
    const drop = this.#drop;
    this.#drop = this.#pass = undefined;
    await drop?.();
  }

  async #disarm(): Promise<void> {
    this.#armed = this.#failed = this.#drop = undefined;
    this.#pass?.();
    this.#pass = undefined;
  }
}

/** Returns the names of the commands that change data. Blocking commands are excluded, because workers send them at unpredictable times. */
function writesOf(commands: readonly RawReply[]): ReadonlySet<string> {
  const names = new Set(SCRIPTS);
  for (const command of commands) {
    if (!Array.isArray(command)) continue;
    const [name, , flags] = command as readonly RawReply[];
    const all = Array.isArray(flags) ? flags.map(String) : [];
    if (all.includes("write") && !all.includes("blocking")) names.add(String(name).toLowerCase());
  }
  return names;
}
