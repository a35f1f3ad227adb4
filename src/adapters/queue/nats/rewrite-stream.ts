import type { ConsumerConfig, StreamInfo } from "@nats-io/jetstream";
import { SeqqaError } from "../../../model/errors.ts";
import type { JetStream } from "./connect.ts";
import type { StreamMessage } from "./stream-message.ts";

/**
 * Deletes a stream and creates it again with these messages. NATS has no other way to reset the sequence numbers and the message ids by which it
 * detects duplicates. Messages in the state `gone` are published and then removed, so that the later sequence numbers match.
 * @throws SeqqaError `STORE_NOT_PUT_BACK`
 */
export async function rewriteStream(
  { connection, client, manager }: JetStream,
  { config }: StreamInfo,
  messages: readonly StreamMessage[],
): Promise<void> {
  const { name } = config;
  const { headers } = await import("@nats-io/transport-node");
  const consumers: ConsumerConfig[] = [];
  for await (const consumer of manager.consumers.list(name))
    if (consumer.config.durable_name !== undefined) consumers.push(consumer.config);
  await manager.streams.delete(name);
  // Allow deletions for now, because messages in the state `gone` are deleted below. The stream's own setting is restored at the end.
  await manager.streams.add({ ...config, deny_delete: false });
  // Create the consumers before publishing: a stream with interest retention drops messages for which it has no consumer.
  for (const consumer of consumers) await manager.consumers.add(name, consumer);
  const remove = async (seq: number): Promise<void> => {
    await manager.streams.deleteMessage(name, seq).catch((error: unknown) => {
      // The stream itself may have dropped the message, for example because a later message has the same subject.
      if (!/no message found/i.test(String(error))) throw error;
    });
  };
  const successors = successorsIn(messages);
  for (const [index, message] of messages.entries()) {
    const all = headers();
    for (const [header, values] of message.headers) for (const value of values) all.append(header, value);
    const known = message.subject || successors.get(index + 1)?.subject;
    const subject = known ?? placeholder(config.subjects?.[0] ?? name);
    const { seq, stream } = await client.publish(subject, Buffer.from(message.data, "base64"), { headers: all });
    if (seq !== index + 1 || stream !== name) throw notRewritten(name, `message ${index + 1} became message ${seq} of ${stream}`);
    const predecessor = expectedBy(message);
    if (messages[predecessor - 1]?.state === "gone") await remove(predecessor);
    // Keep the message while a later message depends on it: the server accepts the later message only if this message exists.
    if (message.state === "gone" && !successors.has(seq)) await remove(seq);
  }
  if (config.deny_delete) await manager.streams.update(name, { deny_delete: true });
  await connection.flush();
  const { state } = await manager.streams.info(name);
  const left = messages.filter((message) => message.state !== "gone").length;
  if (state.messages !== left) throw notRewritten(name, `the stream has ${state.messages} messages instead of ${left}`);
}

/**
 * Returns the messages that were published with the condition that the last message of their subject has a certain sequence number. The keys of the
 * map are these sequence numbers. The key 0 has no meaning.
 */
function successorsIn(messages: readonly StreamMessage[]): ReadonlyMap<number, StreamMessage> {
  return new Map(messages.map((message) => [expectedBy(message), message]));
}

/**
 * Returns the sequence number that the last message of the subject must have, so that the server accepts this message; 0 if the message has no such
 * condition.
 */
function expectedBy({ headers }: StreamMessage): number {
  return Number(new Map(headers).get("Nats-Expected-Last-Subject-Sequence")?.[0] ?? 0);
}

/** Returns a subject that the stream accepts, for a removed message whose subject is unknown. */
function placeholder(subject: string): string {
  return subject.replaceAll("*", "seqqa").replace(/>$/, "seqqa");
}

function notRewritten(name: string, why: string): SeqqaError {
  return new SeqqaError("STORE_NOT_PUT_BACK", `seqqa could not restore the NATS stream "${name}": ${why}.`, {
    hint: "The stream probably drops messages because of its limits (such as max_msgs or max_age). Raise the limits, so that the stream keeps all messages.",
  });
}
