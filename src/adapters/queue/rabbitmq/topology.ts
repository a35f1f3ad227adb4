import { isDeepStrictEqual } from "node:util";
import { SeqqaError } from "../../../model/errors.ts";
import type { Management, RabbitmqQueue } from "./management.ts";

/** The prefix for the names of the exchanges that seqqa declares: one for each queue with messages whose routing key is not the queue's name. */
export const EXCHANGE = "seqqa.put-back.";

interface Exchange {
  readonly name: string;
  readonly type: string;
  readonly durable: boolean;
  readonly auto_delete: boolean;
  readonly internal: boolean;
  readonly arguments: Readonly<Record<string, unknown>>;
}

interface Binding {
  readonly source: string;
  readonly destination: string;
  readonly destination_type: "queue" | "exchange";
  readonly routing_key: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly properties_key: string;
}

/**
 * The bindings of a virtual host, with the queues and exchanges that they connect, in a fixed order. Queues without a binding are left out: they
 * receive only messages that are published directly to them by name.
 */
export interface Topology {
  readonly queues: readonly Omit<RabbitmqQueue, "exclusive" | "type">[];
  readonly exchanges: readonly Exchange[];
  readonly bindings: readonly Binding[];
}

export const NO_TOPOLOGY: Topology = { queues: [], exchanges: [], bindings: [] };

/** The types of exchanges that store messages. seqqa cannot read the messages in an exchange. */
const STORING: ReadonlySet<string> = new Set(["x-delayed-message", "x-recent-history"]);

/** Checks that all messages are in queues. @throws SeqqaError `QUEUE_UNSUPPORTED` */
export function requireNoStoring({ exchanges }: Topology, uses: string): void {
  const storing = exchanges.find(({ type }) => STORING.has(type));
  if (storing === undefined) return;
  throw new SeqqaError(
    "QUEUE_UNSUPPORTED",
    `seqqa cannot restore the messages in the exchange "${storing.name}" of ${uses}, because its type is ${storing.type}.`,
    {
      exitStatus: 2,
      hint: "Declare the exchange with the type direct, fanout, topic or headers in tests. For delays, use a queue with a time to live and a dead letter exchange.",
    },
  );
}

/** Returns the queues that are not exclusive to one connection, and the topology. */
export async function readTopology(
  management: Management,
  vhost: string,
): Promise<{ readonly queues: readonly RabbitmqQueue[]; readonly topology: Topology }> {
  const [queues, exchanges = [], all = []] = await Promise.all([
    management.queues(vhost),
    management.ask<readonly Exchange[]>("GET", ["exchanges", vhost], undefined, "?disable_stats=true"),
    management.ask<readonly Binding[]>("GET", ["bindings", vhost]),
  ]);
  const names = new Set(queues.map(({ name }) => name));
  const bindings = all
    .filter(({ source }) => source !== "" && !source.startsWith(EXCHANGE))
    .filter(({ destination, destination_type: type }) => type === "exchange" || names.has(destination))
    .map(({ source, destination, destination_type, routing_key, arguments: settings, properties_key }) => {
      return { source, destination, destination_type, routing_key, arguments: settings, properties_key };
    });
  const isBound = (type: string, name: string): boolean =>
    bindings.some((one) => (one.destination === name && one.destination_type === type) || (type === "exchange" && one.source === name));
  const topology = {
    queues: inOrder(queues.filter(({ name }) => isBound("queue", name))).map(({ name, durable, auto_delete, arguments: settings }) => {
      return { name, durable, auto_delete, ...(settings !== undefined && { arguments: settings }) };
    }),
    exchanges: inOrder(exchanges.filter(({ name }) => isBound("exchange", name) && !name.startsWith("amq."))).map(
      ({ name, type, durable, auto_delete, internal, arguments: settings }) => {
        return { name, type, durable, auto_delete, internal, arguments: settings };
      },
    ),
    bindings: bindings.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
  };
  return { queues, topology };
}

/**
 * Removes bindings that were added, and declares bindings, queues and exchanges that are missing. Does not remove queues that were added, because
 * targets often declare a queue only once, when they first need it. Returns `true` if something was changed.
 *
 * @throws SeqqaError `STORE_NOT_PUT_BACK`
 */
export async function restoreTopology(management: Management, vhost: string, now: Topology, wanted: Topology): Promise<boolean> {
  if (isDeepStrictEqual(now, wanted)) return false;
  for (const binding of now.bindings) {
    if (wanted.bindings.some((one) => isDeepStrictEqual(one, binding))) continue;
    const { source, destination, destination_type: type, properties_key: key } = binding;
    await management.restore("DELETE", ["bindings", vhost, "e", source, type === "queue" ? "q" : "e", destination, key]);
  }
  await management.restore("POST", ["definitions", vhost], wanted);
  return true;
}

function inOrder<T extends { readonly name: string }>(all: readonly T[]): readonly T[] {
  return all.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
