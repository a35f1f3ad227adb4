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
  await manager.streams.add(config);
  // Create the consumers before publishing: a stream with interest retention drops messages for which it has no consumer.
  for (const consumer of consumers) await manager.consumers.add(name, consumer);
  for (const [index, message] of messages.entries()) {
    const all = headers();
    for (const [header, values] of message.headers) for (const value of values) all.append(header, value);
    const subject = message.subject === "" ? placeholder(config.subjects?.[0] ?? name) : message.subject;
    const { seq, stream } = await client.publish(subject, Buffer.from(message.data, "base64"), { headers: all });
    if (seq !== index + 1 || stream !== name) throw notRewritten(name, `message ${index + 1} became message ${seq} of ${stream}`);
    if (message.state === "gone") await manager.streams.deleteMessage(name, seq).catch(() => undefined);
  }
  await connection.flush();
  const { state } = await manager.streams.info(name);
  const left = messages.filter((message) => message.state !== "gone").length;
  if (state.messages !== left) throw notRewritten(name, `the stream has ${state.messages} messages instead of ${left}`);
}

/** Returns a subject that the stream accepts, for a removed message whose subject is unknown. */
function placeholder(subject: string): string {
  return subject.replaceAll("*", "seqqa").replace(/>$/, "seqqa");
}

function notRewritten(name: string, why: string): SeqqaError {
  return new SeqqaError("STORE_NOT_PUT_BACK", `seqqa could not restore the NATS stream "${name}": ${why}.`, {
    hint: "The limits of the stream probably drop messages. Raise the limits, so that the stream keeps all messages of a test.",
  });
}
