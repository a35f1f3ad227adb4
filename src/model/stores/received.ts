import type { Observed } from "./store-adapter.ts";

type Value = Extract<Observed, { readonly kind: "value" }>;

const READS = new Set(["GET", "HEAD", "OPTIONS"]);
/** Matches the last segment of a path with which APIs only ask, although the method is `POST`, such as a token introspection or a captcha check. */
const ASKS = /\/(?:introspect(?:ion)?|userinfo|(?:site)?verify|validate|check|search|query|lookup|quotes?|rates?|token|assess)\/?(?:\?|$)/i;

interface Received {
  readonly method?: unknown;
  readonly path?: unknown;
  readonly key?: unknown;
  readonly done?: unknown;
  readonly fault?: unknown;
}

/**
 * Returns a store as rules and faults compare it. For a third party, this is the list of the received calls that had an effect there. Left out are
 * calls that only read, that were refused, that failed because of a fault, or that repeat an idempotency key. Other stores are returned unchanged.
 */
export function withEffectsOnly(observed: Observed): Observed {
  if (observed.kind !== "value" || observed.received === undefined) return observed;
  const { kind, received } = observed;
  return { kind, received, value: { [received]: effectsOf(observed) } };
}

/** Returns the entries of {@link withEffectsOnly} for a third party; `undefined` for other stores. */
export function receivedBy({ received, value }: Value): readonly unknown[] | undefined {
  return received === undefined ? undefined : ((value as Readonly<Record<string, readonly unknown[]>>)[received] ?? []);
}

/** Returns a store whose received calls and mails have no order, because simultaneous requests of the target reach a third party in any order. */
export function withoutOrder(observed: Observed): Observed {
  if (observed.kind !== "value" || observed.received === undefined) return observed;
  const { kind, received, value } = observed;
  return { kind, received, value: { ...(value as object), [received]: new Set(receivedBy(observed)) } };
}

function effectsOf(observed: Value): readonly unknown[] {
  const keys = new Set<string>();
  return (receivedBy(observed) ?? []).filter((one) => {
    const { method, path, key, done, fault } = one as Received;
    if (done === false || fault !== undefined || READS.has(String(method)) || (typeof path === "string" && ASKS.test(path))) return false;
    if (key === undefined) return true;
    const text = JSON.stringify([method, path, key]);
    const isNew = !keys.has(text);
    keys.add(text);
    return isNew;
  });
}
