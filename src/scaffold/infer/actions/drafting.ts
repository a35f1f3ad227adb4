import type { Built } from "../values/built.ts";
import type { Kind } from "./classify.ts";
import type { Facts } from "../facts.ts";
import type { Called } from "../resources/found-resource.ts";

/**
 * The way in which an action needs a context key. `path`: the action cannot be called without the key. `required`: without the key, a required field
 * gets a constant. `optional`: without the key, the field is left out.
 */
export type Need = "path" | "required" | "optional";

export interface Drafting {
  readonly facts: Facts;
  readonly call: Called;
  readonly kind: Kind;
  readonly name: string;
  /** The context keys that the action must not use, because two actions would otherwise need each other's ids. */
  readonly avoid: ReadonlySet<string>;
  readonly needs: Map<string, Need>;
  readonly note: (what: string, hint: string) => void;
  /** The values of request fields that are stored under a context key, by the name of the field. */
  readonly sent: Map<string, Built>;
}

export function whyOf(key: string, { producers, names }: Facts): string {
  const producer = producers.get(key)?.[0];
  if (producer === undefined) return "not inferred";
  const from = names.get(producer.call.operation)!.name;
  return producer.source.kind === "body" ? `${producer.what} of ${from}'s answer` : `${producer.what}, of ${from}`;
}
