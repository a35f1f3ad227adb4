import type { Built } from "../values/built.ts";
import type { Kind } from "./classify.ts";
import type { Facts } from "../facts.ts";
import type { Called } from "../resources/found-resource.ts";

/** How much an action depends on a key: without a key of its path it cannot be called, and an optional field is left out. */
export type Need = "path" | "required" | "optional";

/** Everything that is collected while one action is drafted. */
export interface Drafting {
  readonly facts: Facts;
  readonly call: Called;
  readonly kind: Kind;
  readonly name: string;
  /** The keys that may not be used, since they would close a circle. */
  readonly avoid: ReadonlySet<string>;
  readonly needs: Map<string, Need>;
  readonly note: (what: string, hint: string) => void;
  /** The values of fields that a key is taken from. */
  readonly sent: Map<string, Built>;
}

/** Returns the origin of a key for the README: `id of create_order's answer`. */
export function whyOf(key: string, { producers, names }: Facts): string {
  const producer = producers.get(key)?.[0];
  if (producer === undefined) return "not inferred";
  const from = names.get(producer.call.operation)!.name;
  return producer.source.kind === "body" ? `${producer.what} of ${from}'s answer` : `${producer.what}, of ${from}`;
}
