import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";
import type { HeldWrite, WriteFault, WriteFaults } from "../../../model/stores/store-adapter.ts";
import { lookUntil } from "../../../stores/gate/look-until.ts";
import type { RedisPlace } from "../connect/redis-url.ts";
import type { FaultOrder, FaultReply } from "./fault-proxy.ts";

/** Makes writes fail with the proxy between the target and its Redis server. */
export class ProxyFaults implements WriteFaults {
  readonly kind = "faults";
  readonly kinds: readonly WriteFault[] = ["error", "cut", "kill"];
  readonly missing: WriteFaults["missing"] = {};
  readonly #socket: Socket;
  readonly #replies: AsyncIterator<string>;
  #turn: Promise<unknown> = Promise.resolve();
  #fault: WriteFault = "error";

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.#replies = createInterface({ input: socket })[Symbol.asyncIterator]();
  }

  static async connect({ host, port }: RedisPlace): Promise<ProxyFaults> {
    const socket = connect(port, host);
    await once(socket, "connect");
    socket.unref();
    return new ProxyFaults(socket);
  }

  async watch(): Promise<void> {
    await this.#ask({ do: "watch" });
  }

  async watched(done: Promise<unknown>): Promise<number> {
    await Promise.allSettled([done]);
    return (await this.#ask({ do: "count" })).count!;
  }

  async arm(write: number, fault: WriteFault): Promise<void> {
    if (!Number.isSafeInteger(write) || write < 1)
      throw new RangeError(
        `seqqa cannot select write ${write} of a call, because writes are counted from 1. This is a defect of seqqa: please report it.`,
      );
    this.#fault = fault;
    await this.#ask({ do: "arm", write, fault });
  }

  async failed(done: Promise<unknown>, kill?: () => Promise<void>): Promise<HeldWrite | undefined> {
    const write = await lookUntil(async () => (await this.#ask({ do: "look" })).write, done);
    if (write === undefined || this.#fault !== "kill") return write;
    await kill?.();
    await this.#ask({ do: "drop" });
    return write;
  }

  async disarm(): Promise<void> {
    await this.#ask({ do: "disarm" }).catch(() => undefined);
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Sends a command to the proxy after the previous one was answered, because the proxy answers in order. */
  #ask(order: FaultOrder): Promise<FaultReply> {
    const reply = this.#turn.then(async () => {
      this.#socket.write(`${JSON.stringify(order)}\n`);
      const { value, done } = await this.#replies.next();
      if (done === true)
        throw new Error("seqqa cannot make writes to Redis fail: the proxy between the target and the Redis server has stopped");
      return JSON.parse(value) as FaultReply;
    });
    this.#turn = reply.catch(() => undefined);
    return reply;
  }
}
