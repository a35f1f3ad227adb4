import type { Channel, ChannelModel, GetMessage } from "amqplib";
import { isDeepStrictEqual } from "node:util";
import { SeqqaError } from "../../../model/errors.ts";
import type { StoreScope } from "../../../model/stores/store-adapter.ts";
import { hasWorker, notExternal, unknownQueue } from "../failures.ts";
import { payloadOf, type QueueJob, type TakenJob } from "../job.ts";
import { MessageAdapter } from "../message-adapter.ts";
import { connectRabbitmq } from "./connect.ts";
import { Management, type RabbitmqQueue } from "./management.ts";
import { rabbitmqPlace, shownRabbitmq, type RabbitmqPlace } from "./rabbitmq-place.ts";

export interface RabbitmqAdapterOptions {
  /** `amqp://[user:password@]host[:port]/vhost`. Everything in the virtual host belongs to the lane. The password is never shown. */
  readonly url: string;
}

/** A message. Plain data. */
interface Message {
  /** Base64. */
  readonly content: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly origin: Origin;
}

/** Facts that a message loses when it is published again. */
interface Origin {
  readonly exchange: string;
  readonly key: string;
  readonly redelivered: boolean;
}

/** The messages of queues that have some, in the order in which a worker gets them. */
type Messages = Readonly<Record<string, readonly Message[]>>;

/** A header that keeps the origin of a message that was taken out and put back. */
const ORIGIN = "x-seqqa-origin";

/**
 * The queues of a RabbitMQ virtual host. A look takes all messages out, and puts them back in their order: a message's own time to live begins again, and
 * times of dead letters stay as they are in its headers. Queues, exchanges and bindings that the target declares stay.
 */
export class RabbitmqAdapter extends MessageAdapter<Messages> {
  readonly name = "rabbitmq";
  readonly uses: string;
  readonly #place: RabbitmqPlace;
  readonly #management: Management;
  #opened: { readonly connection: ChannelModel; readonly channel: Channel } | undefined;

  /** @throws SeqqaError `RABBITMQ_URL_INVALID` */
  constructor({ url }: RabbitmqAdapterOptions) {
    const place = rabbitmqPlace(url);
    super({}, [place.password]);
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
    return ((await this.look())[queue] ?? []).map((message) => jobOf(queue, message));
  }

  async take(queue: string): Promise<TakenJob | undefined> {
    const message = await this.alone(() => this.#takeFirst(queue));
    if (message === undefined) return undefined;
    return {
      job: jobOf(queue, message),
      settle: (how) =>
        this.alone(async () => {
          if (how === "done") return;
          const others = await this.#drain(queue);
          if (how === "reject") await this.#reject(queue, message);
          const again = { ...message, origin: { ...message.origin, redelivered: true } };
          await this.#publish(queue, how === "reject" ? others : [again, ...others]);
        }),
    };
  }

  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    // The virtual host may be gone already, and with it the connection.
    await opened?.connection.close().catch(() => undefined);
  }

  protected async read(): Promise<Messages> {
    const found: Record<string, readonly Message[]> = {};
    for (const { name } of await this.#queues()) {
      const messages = await this.#drain(name);
      if (messages.length === 0) continue;
      await this.#publish(name, messages);
      found[name] = messages;
    }
    return found;
  }

  protected async put(wanted: Messages): Promise<void> {
    const queues = await this.#queues();
    for (const { name } of queues) {
      await this.#drain(name);
      await this.#publish(name, wanted[name] ?? []);
    }
    const missing = Object.keys(wanted).find((name) => !queues.some((queue) => queue.name === name));
    if (missing === undefined) return;
    throw new SeqqaError("STORE_NOT_PUT_BACK", `${this.uses} has no queue "${missing}" any longer, so its messages cannot be restored.`, {
      hint: "Declare the queue without autoDelete and expires, or in the template.",
    });
  }

  protected shown(messages: Messages): unknown {
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

  /** @throws SeqqaError `QUEUE_UNSUPPORTED` */
  async #queues(): Promise<readonly RabbitmqQueue[]> {
    const queues = await this.#management.queues(this.#place.vhost);
    const stream = queues.find(({ type }) => type === "stream");
    if (stream === undefined) return queues;
    throw new SeqqaError("QUEUE_UNSUPPORTED", `The queue "${stream.name}" of ${this.uses} is a stream, which cannot be restored.`, {
      exitStatus: 2,
      hint: "Use a classic or a quorum queue.",
    });
  }

  async #takeFirst(queue: string): Promise<Message | undefined> {
    const queues = await this.#queues();
    if (!queues.some(({ name }) => name === queue))
      throw unknownQueue(
        queue,
        queues.map(({ name }) => name),
      );
    if ((await this.#channel.checkQueue(queue)).consumerCount > 0) throw hasWorker(queue);
    const [first, ...others] = await this.#drain(queue);
    await this.#publish(queue, others);
    return first;
  }

  /** Takes all messages out of a queue. */
  async #drain(queue: string): Promise<readonly Message[]> {
    const messages: Message[] = [];
    for (;;) {
      const got = await this.#channel.get(queue, { noAck: true });
      if (got === false) return messages;
      messages.push(messageOf(queue, got));
    }
  }

  async #publish(queue: string, messages: readonly Message[]): Promise<void> {
    for (const { content, properties, headers, origin } of messages) {
      const isAsPublished = isDeepStrictEqual(origin, { exchange: "", key: queue, redelivered: false });
      this.#channel.sendToQueue(queue, Buffer.from(content, "base64"), {
        ...properties,
        headers: isAsPublished ? headers : { ...headers, [ORIGIN]: origin },
      });
    }
    // A queue answers after it has taken what this channel published before: others see the messages from now on.
    if (messages.length > 0) await this.#channel.checkQueue(queue);
  }

  /** Lets the broker do what it does with a rejected message: drop it, or send it to an exchange for dead letters. */
  async #reject(queue: string, message: Message): Promise<void> {
    await this.#publish(queue, [message]);
    const got = await this.#channel.get(queue);
    if (got === false) return;
    this.#channel.nack(got, false, false);
    await this.#channel.checkQueue(queue);
  }
}

function messageOf(queue: string, { content, fields, properties: { headers = {}, ...properties } }: GetMessage): Message {
  // A quorum queue counts deliveries anew once a message is put back: whether there was one is what the state says.
  const { [ORIGIN]: origin, "x-delivery-count": _, ...others } = headers as Record<string, unknown>;
  const { exchange, routingKey: key, redelivered } = fields;
  return {
    content: content.toString("base64"),
    properties: Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined)),
    headers: others,
    origin: (origin as Origin | undefined) ?? { exchange, key: exchange === "" ? queue : key, redelivered },
  };
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
