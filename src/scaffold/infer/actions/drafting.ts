import type { Built } from "../values/built.ts";
import type { Kind } from "./classify.ts";
import type { Facts } from "../facts.ts";
import type { Called } from "../resources/found-resource.ts";

/**
 * How much an action depends on a key. If the key is missing, `path` means that the action cannot be called. A `required` field gets a constant
 * instead, and an `optional` field is left out.
 */
export type Need = "path" | "required" | "optional";

export interface Drafting {
  readonly facts: Facts;
  readonly call: Called;
  readonly kind: Kind;
  readonly name: string;
  /** The keys that must not be used, because they would create a circular dependency. */
  readonly avoid: ReadonlySet<string>;
  readonly needs: Map<string, Need>;
  readonly note: (what: string, hint: string) => void;
  /** The values of request fields, by field name, for keys that are taken from the request. */
  readonly sent: Map<string, Built>;
}

export function whyOf(key: string, { producers, names }: Facts): string {
  const producer = producers.get(key)?.[0];
  if (producer === undefined) return "not inferred";
  const from = names.get(producer.call.operation)!.name;
  return producer.source.kind === "body" ? `${producer.what} of ${from}'s answer` : `${producer.what}, of ${from}`;
}
