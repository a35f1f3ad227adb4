import type { Observed } from "./store-adapter.ts";

type Value = Extract<Observed, { readonly kind: "value" }>;

const READS = new Set(["GET", "HEAD", "OPTIONS"]);
/** Matches paths of calls that only read although their method is `POST`, such as a token introspection or a captcha check. */
const ASKS = /\/(?:introspect(?:ion)?|userinfo|(?:site)?verify|validate|check|search|query|lookup|quotes?|rates?|token|assess)\/?(?:\?|$)/i;

interface Received {
  readonly method?: unknown;
  readonly path?: unknown;
  readonly key?: unknown;
  readonly done?: unknown;
  readonly fault?: unknown;
}

/**
 * Returns the observed state of a store in the form in which rules and fault checks compare it. For a stub, this form contains only the received
 * calls and mails that had an effect. Calls are left out if they only read, were refused, failed because of a fault, or repeat an idempotency key.
 * Other stores are returned unchanged.
 */
export function withEffectsOnly(observed: Observed): Observed {
  if (observed.kind !== "value" || observed.received === undefined) return observed;
  const { kind, received } = observed;
  return { kind, received, value: { [received]: effectsOf(observed) } };
}

/** Returns the received calls or mails in the observed state of a stub; `undefined` for other stores. */
export function receivedBy({ received, value }: Value): readonly unknown[] | undefined {
  return received === undefined ? undefined : ((value as Readonly<Record<string, readonly unknown[]>>)[received] ?? []);
}

/**
 * Returns the observed state of a stub with the received calls or mails as an unordered set, because simultaneous requests of the target reach a stub
 * in any order. Other stores are returned unchanged.
 */
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
