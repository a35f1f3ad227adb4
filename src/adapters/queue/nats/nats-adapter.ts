import type { JetStreamManager, StreamInfo } from "@nats-io/jetstream";
import type { MsgHdrs } from "@nats-io/transport-node";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { SeqqaError } from "../../../model/errors.ts";
import type { StoreScope } from "../../../model/stores/store-adapter.ts";
import { hasWorker, notExternal, unconfirmed, unknownQueue } from "../failures.ts";
import { payloadOf, type QueueJob, type Settlement, type TakenJob } from "../job.ts";
import { MessageAdapter } from "../message-adapter.ts";
import { connectNats, natsUrl, shownNats, type JetStream } from "./connect.ts";
import { rewriteStream } from "./rewrite-stream.ts";
import type { StreamMessage } from "./stream-message.ts";

/** Options of {@link NatsAdapter}. */
export interface NatsAdapterOptions {
  /** `nats://[user:password@]host[:port]`: a server that only this lane uses. */
  readonly url: string;
}

/**
 * The messages of each stream. The message with sequence number n is at index n - 1. Removed messages stay in the list. Streams that never had a
 * message are left out.
 */
type Streams = Readonly<Record<string, readonly StreamMessage[]>>;

/**
 * The number of checks after which a message counts as not acknowledged by its consumer. `CONFIRMING_MS`: the pause between two checks, in
 * milliseconds.
 */
const CONFIRMING_LOOKS = 10;
const CONFIRMING_MS = 20;

const MESSAGE_ID = "Nats-Msg-Id";

/**
 * The JetStream streams of a lane's own NATS server. An observation reads all messages. A restore recreates every stream that changed, with its
 * sequence numbers, its durable consumers and the message ids by which the server detects duplicates.
 */
export class NatsAdapter extends MessageAdapter<Streams> {
  readonly name = "nats";
  readonly uses: string;
  readonly #url: URL;
  /** The jobs that an action has taken as a worker and not settled, as `<queue> <index>`. Other actions cannot take these jobs. */
  readonly #taken: Set<string> = new Set();
  #opened: JetStream | undefined;

  /** Creates an adapter that is not connected yet. @throws SeqqaError `NATS_URL_INVALID` */
  constructor({ url }: NatsAdapterOptions) {
    const parsed = natsUrl(url);
    super({}, [parsed.password]);
    this.#url = parsed;
    this.uses = shownNats(parsed);
  }

  async open({ name, borrowed }: StoreScope): Promise<void> {
    if (borrowed) throw notExternal(name, "NATS");
    this.#opened = await connectNats(this.#url);
  }

  async jobs(queue: string): Promise<readonly QueueJob[]> {
    const messages = (await this.look())[queue] ?? [];
    return messages.filter((message, index) => this.#waits(queue, message, index)).map((message) => jobOf(queue, message));
  }

  async take(queue: string): Promise<TakenJob | undefined> {
    await this.alone(() => this.#requireQueue(queue));
    const messages = (await this.look())[queue] ?? [];
    const at = messages.findIndex((message, index) => this.#waits(queue, message, index));
    if (at < 0) return undefined;
    this.#taken.add(`${queue} ${at}`);
    return { job: jobOf(queue, messages[at]!), settle: (how) => this.alone(() => this.#settle(queue, at, how)) };
  }

  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    await opened?.connection.close();
  }

  protected async refuseWorkers(): Promise<void> {
    for (const { config } of await this.#streams()) await this.#refuseWorker(config.name);
  }

  protected async read(): Promise<Streams> {
    const infos = await this.#streams();
    for (const info of infos) await this.#refuseUnconfirmed(info);
    return this.#readStreams(infos);
  }

  protected async put(wanted: Streams): Promise<void> {
    this.#taken.clear();
    const infos = await this.#streams();
    const now = await this.#readStreams(infos);
    for (const info of infos) {
      const { name } = info.config;
      const messages = wanted[name] ?? [];
      const isSame = isDeepStrictEqual(now[name] ?? [], messages) && (await this.#unconfirmedOf(info)) === undefined;
      if (!isSame) await rewriteStream(this.#jetStream, info, messages);
    }
    const missing = Object.keys(wanted).find((name) => !infos.some(({ config }) => config.name === name));
    if (missing === undefined) return;
    throw new SeqqaError(
      "STORE_NOT_PUT_BACK",
      `The stream "${missing}" of ${this.uses} was deleted during the exploration, so seqqa cannot restore its messages.`,
      {
        hint: "Remove the action that deletes or renames the stream, because seqqa cannot restore a deleted stream.",
      },
    );
  }

  protected shown(streams: Streams): unknown {
    return Object.fromEntries(
      Object.entries(streams).map(([name, all]) => [
        name,
        {
          messages: all
            .filter(({ state }) => state !== "gone")
            .map((message) => {
              const { name: subject, data, headers, redelivered } = jobOf(name, message);
              return { subject, data, headers, redelivered, state: message.state };
            }),
          // Ids of removed messages are part of the state: the server rejects a new message with one of these ids as a duplicate.
          goneIds: all.filter(({ state }) => state === "gone").flatMap(({ headers }) => new Map(headers).get(MESSAGE_ID) ?? []),
        },
      ]),
    );
  }

  get #jetStream(): JetStream {
    if (this.#opened === undefined) throw this.notOpen();
    return this.#opened;
  }

  get #manager(): JetStreamManager {
    return this.#jetStream.manager;
  }

  async #streams(): Promise<readonly StreamInfo[]> {
    const all: StreamInfo[] = [];
    for await (const info of this.#manager.streams.list()) all.push(info);
    return all.toSorted((a, b) => (a.config.name < b.config.name ? -1 : 1));
  }

  async #readStreams(infos: readonly StreamInfo[]): Promise<Streams> {
    const found: Record<string, readonly StreamMessage[]> = {};
    for (const info of infos) if (info.state.last_seq > 0) found[info.config.name] = await this.#readStream(info);
    return found;
  }

  async #readStream({ config: { name }, state }: StreamInfo): Promise<readonly StreamMessage[]> {
    const known = this.last[name] ?? [];
    const messages = Array.from({ length: state.last_seq }, async (_, index): Promise<StreamMessage> => {
      const before = known[index];
      if (before?.state === "gone") return before;
      const stored = await this.#manager.streams.getMessage(name, { seq: index + 1 });
      if (stored === null) return { ...(before ?? NEVER_SEEN), state: "gone", redelivered: false };
      const read = {
        subject: stored.subject,
        data: Buffer.from(stored.data).toString("base64"),
        headers: [...((stored.header as MsgHdrs | undefined) ?? [])],
      };
      const isSame = before !== undefined && before.data === read.data && before.subject === read.subject;
      return { ...read, state: isSame ? before.state : "waiting", redelivered: isSame && before.redelivered };
    });
    return Promise.all(messages);
  }

  /** Checks that a stream exists and that no worker of the target takes its messages. @throws SeqqaError `QUEUE_UNKNOWN`, `QUEUE_HAS_WORKER` */
  async #requireQueue(queue: string): Promise<void> {
    const names = (await this.#streams()).map(({ config }) => config.name);
    if (!names.includes(queue)) throw unknownQueue(queue, names);
    await this.#refuseWorker(queue);
  }

  /** Checks that no worker of the target takes messages of a stream. @throws SeqqaError `QUEUE_HAS_WORKER` */
  async #refuseWorker(queue: string): Promise<void> {
    for await (const { num_waiting, push_bound, config } of this.#manager.consumers.list(queue)) {
      // A consumer without acknowledgements (`ack_policy: none`) only reads messages, such as the watcher of a key-value bucket. It is no worker.
      if ((num_waiting > 0 || push_bound === true) && config.ack_policy !== "none") throw hasWorker(queue);
    }
  }

  /** Checks that consumers have acknowledged all messages that they received. @throws SeqqaError `QUEUE_HAS_WORKER` */
  async #refuseUnconfirmed(info: StreamInfo): Promise<void> {
    for (let look = 1; ; look++) {
      const consumer = await this.#unconfirmedOf(info);
      if (consumer === undefined) return;
      // Check several times, because an acknowledgement may reach the server shortly after the target has answered its request.
      if (look === CONFIRMING_LOOKS) throw unconfirmed(info.config.name, consumer);
      await sleep(CONFIRMING_MS);
    }
  }

  /** Returns the name of a consumer that has not acknowledged all messages that it received; `undefined` if there is none. */
  async #unconfirmedOf({ config, state }: StreamInfo): Promise<string | undefined> {
    if (state.consumer_count === 0) return undefined;
    for await (const { name, num_ack_pending } of this.#manager.consumers.list(config.name)) if (num_ack_pending > 0) return name;
    return undefined;
  }

  async #settle(queue: string, index: number, how: Settlement): Promise<void> {
    this.#taken.delete(`${queue} ${index}`);
    const { config } = await this.#manager.streams.info(queue);
    const isOver = how === "done" || how === "reject";
    if (isOver && config.retention !== "limits") await this.#manager.streams.deleteMessage(queue, index + 1);
    else {
      const message = this.last[queue]![index]!;
      const settled = { ...message, ...(isOver ? { state: "done" as const } : { redelivered: true }) };
      this.last = { ...this.last, [queue]: this.last[queue]!.with(index, settled) };
    }
  }

  #waits(queue: string, { state }: StreamMessage, index: number): boolean {
    return state === "waiting" && !this.#taken.has(`${queue} ${index}`);
  }
}

const NEVER_SEEN = { subject: "", data: "", headers: [] } as const;

function jobOf(queue: string, { subject, data, headers, redelivered }: StreamMessage): QueueJob {
  const named = new Map(headers);
  return {
    queue,
    id: named.get(MESSAGE_ID)?.[0],
    name: subject,
    data: payloadOf(Buffer.from(data, "base64")),
    headers: Object.fromEntries(headers.map(([name, values]) => [name, values.length === 1 ? values[0] : values])),
    redelivered,
    state: "waiting",
  };
}
