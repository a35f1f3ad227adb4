// Another process that publishes and takes messages, by a protocol of its own: one line in, a JSON list of commands (lists of a name and its
// parameters); one line out, how many were refused. argv: the URL of RabbitMQ or NATS.
import { createInterface } from "node:readline";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect as connectNats, headers } from "@nats-io/transport-node";
import { connect as connectRabbitmq } from "amqplib";

const BROKERS = {
  "amqp:": async (url) => {
    const connection = await connectRabbitmq(url, { noDelay: true });
    const channel = await connection.createConfirmChannel();
    return {
      declare: (queue, options) => channel.assertQueue(queue, options),
      exchange: (name, type) => channel.assertExchange(name, type),
      bind: (queue, exchange, pattern) => channel.bindQueue(queue, exchange, pattern),
      publish: async (exchange, key, text, options = {}) => {
        channel.publish(exchange, key, Buffer.from(text), options);
        await channel.waitForConfirms();
      },
      take: (queue) => channel.get(queue, { noAck: true }),
      reject: async (queue) => {
        const message = await channel.get(queue);
        if (message !== false) channel.nack(message, false, false);
        await channel.checkQueue(queue);
      },
      requeue: async (queue) => {
        const message = await channel.get(queue);
        if (message !== false) channel.nack(message);
        await channel.checkQueue(queue);
      },
      purge: (queue) => channel.purgeQueue(queue),
      end: () => connection.close(),
    };
  },
  "nats:": async (url) => {
    const connection = await connectNats({ servers: new URL(url).host });
    const manager = await jetstreamManager(connection);
    const client = jetstream(connection);
    return {
      stream: (config) => manager.streams.add(config),
      consumer: (stream, config) => manager.consumers.add(stream, config),
      publish: async (subject, text, id, names = []) => {
        const all = headers();
        for (const [name, value] of names) all.append(name, value);
        await client.publish(subject, text, { headers: all, ...(id !== null && { msgID: id }) });
      },
      remove: (stream, seq) => manager.streams.deleteMessage(stream, seq),
      purge: (stream, options) => manager.streams.purge(stream, options),
      end: () => connection.close(),
    };
  },
};

const url = process.argv[2];
const broker = await BROKERS[new URL(url).protocol](url);
for await (const line of createInterface({ input: process.stdin })) {
  let refused = 0;
  for (const [name, ...parameters] of JSON.parse(line)) {
    try {
      await broker[name](...parameters);
    } catch {
      refused++;
    }
  }
  process.stdout.write(`${refused}\n`);
}
await broker.end();
