import { createHash } from "node:crypto";
import type { Channel, ChannelModel, GetMessage } from "amqplib";
import { SeqqaError } from "../../../model/errors.ts";
import type { StoreScope } from "../../../model/stores/store-adapter.ts";
import { hasWorker, notExternal, unknownQueue } from "../failures.ts";
import { payloadOf, type QueueJob, type TakenJob } from "../job.ts";
import { MessageAdapter } from "../message-adapter.ts";
import { connectRabbitmq } from "./connect.ts";
import { Management, type RabbitmqQueue } from "./management.ts";
import { rabbitmqPlace, shownRabbitmq, type RabbitmqPlace } from "./rabbitmq-place.ts";
import { EXCHANGE, NO_TOPOLOGY, readTopology, requireNoStoring, restoreTopology, type Topology } from "./topology.ts";

/** Options of {@link RabbitmqAdapter}. */
export interface RabbitmqAdapterOptions {
  /** `amqp://[user:password@]host[:port]/vhost`. Everything in the virtual host belongs to the lane. The password is never shown. */
  readonly url: string;
}

interface Message {
  /** The message body as base64. */
  readonly content: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly origin: Origin;
}

/** Properties of a message that would be lost when seqqa takes the message out of its queue and publishes it again. seqqa saves them in a header. */
interface Origin {
  readonly exchange: string;
  readonly key: string;
  readonly redelivered: boolean;
}

interface TakenOut {
  readonly message: Message;
  /**
   * The position of the message in the last batch that seqqa published again to this queue. `undefined` for a message that is not from this batch.
   */
  readonly place: number | undefined;
}

/** The messages of each queue, in the order in which a worker gets them. Empty queues are left out. */
type Messages = Readonly<Record<string, readonly Message[]>>;

interface Contents {
  readonly messages: Messages;
  readonly topology: Topology;
}

/** The header that marks messages that seqqa has published again. */
const PUT_BACK = "x-seqqa-put-back";

interface PutBack extends Origin {
  /**
   * The number of the batch in which seqqa published the message again. RabbitMQ may later move the message to a dead letter queue. This number then
   * shows that the message is not from the last batch of its new queue.
   */
  readonly batch: number;
  readonly place: number;
}

/**
 * The queues of a RabbitMQ virtual host. An observation takes all messages out of their queues and publishes them again in the same order. Publishing
 * a message again restarts its time to live. The times in the headers of dead letters do not change. Bindings are restored, and so are bound queues
 * and exchanges that the target deleted. Queues and exchanges that the target declared remain, without bindings.
 */
export class RabbitmqAdapter extends MessageAdapter<Contents> {
  readonly name = "rabbitmq";
  readonly uses: string;
  readonly #place: RabbitmqPlace;
  readonly #management: Management;
  /** For each queue, the number of the last batch of messages that seqqa published again to the queue. */
  readonly #batches: Map<string, number> = new Map();
  #batch = 0;
  /** The exchanges that this adapter declared. */
  readonly #exchanges: Set<string> = new Set();
  #opened: { readonly connection: ChannelModel; readonly channel: Channel } | undefined;

  /** Creates an adapter that is not connected yet. @throws SeqqaError `RABBITMQ_URL_INVALID` */
  constructor({ url }: RabbitmqAdapterOptions) {
    const place = rabbitmqPlace(url);
    super({ messages: {}, topology: NO_TOPOLOGY }, [place.password]);
    this.#place = place;
    this.uses = shownRabbitmq(place);
    this.#management = new Management(place);
  }

  async open({ name, borrowed }: StoreScope): Promise<void> {
    if (borrowed) throw notExternal(name, "RabbitMQ");
    const connection = await connectRabbitmq(this.#place);
    const channel = await connection.createChannel();
    channel.on("error", () => undefined);
    this.#opened = { connection, channel };
  }

  async jobs(queue: string): Promise<readonly QueueJob[]> {
    return ((await this.look()).messages[queue] ?? []).map((message) => jobOf(queue, message));
  }

  async take(queue: string): Promise<TakenJob | undefined> {
    const message = await this.alone(() => this.#takeFirst(queue));
    if (message === undefined) return undefined;
    return {
      job: jobOf(queue, message),
      settle: (how) =>
        this.alone(async () => {
          if (how === "done") return;
          const others = await this.#drain(await this.#named(queue));
          if (how === "reject") await this.#reject(queue, message);
          const again = { ...message, origin: { ...message.origin, redelivered: true } };
          await this.#publish(queue, how === "reject" ? others : [again, ...others]);
        }),
    };
  }

  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    for (const exchange of this.#exchanges) await opened?.channel.deleteExchange(exchange).catch(() => undefined);
    this.#exchanges.clear();
    // Ignore errors: the virtual host may already be deleted, which also closes the connection.
    await opened?.connection.close().catch(() => undefined);
  }

  protected async refuseWorkers(): Promise<void> {
    for (const { name } of await this.#queues()) await this.#refuseWorker(name);
  }

  protected async read(): Promise<Contents> {
    const found: Record<string, readonly Message[]> = {};
    const { queues, topology } = await readTopology(this.#management, this.#place.vhost);
    this.#requireNoStream(queues);
    requireNoStoring(topology, this.uses);
    for (const queue of queues) {
      const messages = await this.#drain(queue);
      if (messages.length === 0) continue;
      await this.#publish(queue.name, messages);
      found[queue.name] = messages;
    }
    return { messages: found, topology };
  }

  protected async put({ messages, topology }: Contents): Promise<void> {
    const { vhost } = this.#place;
    const now = await readTopology(this.#management, vhost);
    const isChanged = await restoreTopology(this.#management, vhost, now.topology, topology);
    const queues = isChanged ? await this.#management.queues(vhost) : now.queues;
    this.#requireNoStream(queues);
    for (const queue of queues) {
      await this.#drain(queue);
      await this.#publish(queue.name, messages[queue.name] ?? []);
    }
    const missing = Object.keys(messages).find((name) => !queues.some((queue) => queue.name === name));
    if (missing === undefined) return;
    throw new SeqqaError(
      "STORE_NOT_PUT_BACK",
      `The queue "${missing}" of ${this.uses} was deleted during the exploration, so seqqa cannot restore its messages.`,
      {
        hint: "Make the target declare the queue without autoDelete and expires. Or declare the queue in the virtual host of the store's URL, which seqqa copies for each lane.",
      },
    );
  }

  protected shown({ messages }: Contents): unknown {
    return Object.fromEntries(
      Object.entries(messages).map(([queue, all]) => [
        queue,
        all.map((message) => {
          const { data, headers, redelivered } = jobOf(queue, message);
          return { data, headers, redelivered, ...message.properties, exchange: message.origin.exchange, routingKey: message.origin.key };
        }),
      ]),
    );
  }

  get #channel(): Channel {
    if (this.#opened === undefined) throw this.notOpen();
    return this.#opened.channel;
  }

  async #queues(): Promise<readonly RabbitmqQueue[]> {
    const queues = await this.#management.queues(this.#place.vhost);
    this.#requireNoStream(queues);
    return queues;
  }

  /** Checks that no queue is a stream, whose messages cannot be restored. @throws SeqqaError `QUEUE_UNSUPPORTED` */
  #requireNoStream(queues: readonly RabbitmqQueue[]): void {
    const stream = queues.find(({ type }) => type === "stream");
    if (stream === undefined) return;
    throw new SeqqaError(
      "QUEUE_UNSUPPORTED",
      `seqqa cannot restore the queue "${stream.name}" of ${this.uses}, because its type is stream.`,
      {
        exitStatus: 2,
        hint: "Declare the queue with the type classic or quorum.",
      },
    );
  }

  async #takeFirst(name: string): Promise<Message | undefined> {
    const queue = await this.#named(name);
    await this.#refuseWorker(name);
    const [first, ...others] = await this.#drain(queue);
    await this.#publish(name, others);
    return first;
  }

  /** Checks that no consumer takes messages of a queue. @throws SeqqaError `QUEUE_HAS_WORKER` */
  async #refuseWorker(queue: string): Promise<void> {
    if ((await this.#channel.checkQueue(queue)).consumerCount > 0) throw hasWorker(queue);
  }

  /** Returns the queue with this name. @throws SeqqaError `QUEUE_UNKNOWN` if it does not exist */
  async #named(name: string): Promise<RabbitmqQueue> {
    const queues = await this.#queues();
    const queue = queues.find((one) => one.name === name);
    if (queue !== undefined) return queue;
    throw unknownQueue(
      name,
      queues.map((one) => one.name),
    );
  }

  async #drain({ name, arguments: settings }: RabbitmqQueue): Promise<readonly Message[]> {
    const taken: TakenOut[] = [];
    for (;;) {
      const got = await this.#channel.get(name, { noAck: true });
      if (got === false) return inOrder(taken, Number(settings?.["x-max-priority"] ?? 0));
      taken.push(takenOut(name, got, this.#batches.get(name)));
    }
  }

  async #publish(queue: string, messages: readonly Message[]): Promise<void> {
    if (messages.length === 0) return;
    const batch = ++this.#batch;
    this.#batches.set(queue, batch);
    const isPlain = ({ origin, headers }: Message): boolean =>
      origin.exchange === "" && origin.key === queue && headers["CC"] === undefined;
    const exchange = messages.every(isPlain) ? "" : await this.#exchangeFor(queue);
    for (const [place, message] of messages.entries()) {
      const { content, properties, headers, origin } = message;
      const putBack = { ...origin, batch, place } satisfies PutBack;
      const options = { ...properties, headers: { ...headers, [PUT_BACK]: putBack } };
      this.#channel.publish(isPlain(message) ? "" : exchange, origin.key, Buffer.from(content, "base64"), options);
    }
    // Send a request and wait for its answer. RabbitMQ answers after it has stored all messages that this channel has published, so other clients see
    // these messages from now on.
    await this.#channel.checkQueue(queue);
  }

  /**
   * Declares an exchange that sends every message to one queue, with any routing key. A message that is published to this exchange keeps its original
   * routing keys, including the keys in its header `CC`. The broker needs these keys if the message becomes a dead letter. Returns the name of the
   * exchange.
   */
  async #exchangeFor(queue: string): Promise<string> {
    const exchange = EXCHANGE + createHash("sha256").update(queue).digest("hex");
    if (!this.#exchanges.has(exchange)) await this.#channel.assertExchange(exchange, "fanout", { durable: false });
    this.#exchanges.add(exchange);
    // Bind the queue each time, because the target may have deleted the queue and declared it again.
    await this.#channel.bindQueue(queue, exchange, "");
    return exchange;
  }

  /** Lets the broker handle a rejected message: the broker drops it or sends it to a dead letter exchange. */
  async #reject(queue: string, message: Message): Promise<void> {
    await this.#publish(queue, [message]);
    const got = await this.#channel.get(queue);
    if (got === false) return;
    this.#channel.nack(got, false, false);
    await this.#channel.checkQueue(queue);
  }
}

/**
 * Returns a message that was taken out of a queue, without the header that seqqa added.
 * @param batch The number of the last batch of messages that seqqa published again to the queue.
 */
function takenOut(queue: string, { content, fields, properties }: GetMessage, batch: number | undefined): TakenOut {
  const { headers = {}, ...others } = properties;
  // Leave out `x-delivery-count`, because a quorum queue resets it when a message is published again. `redelivered` shows that there was an earlier
  // delivery.
  const { [PUT_BACK]: header, "x-delivery-count": _, ...ownHeaders } = headers as Record<string, unknown>;
  const last = header as PutBack | undefined;
  const putBack = last?.batch === batch ? last : undefined;
  const { exchange, key } = putBack ?? { exchange: fields.exchange, key: fields.exchange === "" ? queue : fields.routingKey };
  return {
    message: {
      content: content.toString("base64"),
      properties: Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined)),
      headers: last === undefined ? ownHeaders : (withExchange(ownHeaders, last.exchange) as Message["headers"]),
      origin: { exchange, key, redelivered: fields.redelivered || putBack?.redelivered === true },
    },
    place: putBack?.place,
  };
}

/**
 * Returns headers in which each name of an exchange of seqqa is replaced by `exchange`, the exchange to which the message was published originally.
 */
function withExchange(headers: unknown, exchange: string): unknown {
  if (typeof headers === "string") return headers.startsWith(EXCHANGE) ? exchange : headers;
  if (Array.isArray(headers)) return headers.map((one) => withExchange(one, exchange));
  if (typeof headers !== "object" || headers === null || Buffer.isBuffer(headers)) return headers;
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, withExchange(value, exchange)]));
}

/**
 * Returns messages in the order in which a worker would get them if seqqa had never taken them out. Of messages with the same priority, the messages
 * of the last batch that seqqa published again come first. All other messages follow, even if RabbitMQ received some of them while seqqa was still
 * publishing.
 */
function inOrder(taken: readonly TakenOut[], mostPriority: number): readonly Message[] {
  const priorityOf = ({ message }: TakenOut): number => Math.min(mostPriority, Number(message.properties["priority"] ?? 0));
  const rank = ({ place }: TakenOut): number => place ?? taken.length;
  return taken.toSorted((a, b) => priorityOf(b) - priorityOf(a) || rank(a) - rank(b)).map(({ message }) => message);
}

function jobOf(queue: string, { content, properties, headers, origin }: Message): QueueJob {
  return {
    queue,
    id: properties["messageId"] as string | undefined,
    name: origin.key,
    data: payloadOf(Buffer.from(content, "base64")),
    headers,
    redelivered: origin.redelivered,
    state: "waiting",
  };
}
