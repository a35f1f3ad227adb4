import type { Encoded } from "./encoder.ts";
import type { Token } from "./tokens.ts";

type Parts = readonly ReadonlySet<Token>[];

/** The domain of all values that occur only in the context of the user's code. Each key of the context also has a domain of its own. */
const CONTEXT = "context";

/**
 * Returns `true` if the state hides which generated values of one step belong together. For example, a step generated the keys of two recovery codes
 * (one domain) and the two codes themselves (another domain), and no part of the state contains a key together with its code. The state in which the
 * first code was used and the state in which the second code was used then have equal texts.
 *
 * If the other domain has only one value, such as the payment for an order with several items, the link is hidden only if no chain of parts connects
 * this value with the items. A payment that is connected with the key of the order belongs to all items, so nothing is hidden.
 */
export function hasHiddenLinks(head: Encoded, holed: readonly Encoded[]): boolean {
  const steps = stepsOfSeveral(head, holed);
  if (steps.size === 0) return false;
  const parts = new Map(Array.from(steps, (step) => [step, new Map<Encoded, Set<Token>>()]));
  for (const part of [head, ...holed]) {
    for (const token of part.tokens) {
      const ofStep = parts.get(token.step);
      if (ofStep === undefined) continue;
      const tokens = ofStep.get(part);
      if (tokens === undefined) ofStep.set(part, new Set([token]));
      else tokens.add(token);
    }
  }
  return [...parts.values()].some((ofStep) => isHidden([...ofStep.values()]));
}

/**
 * Returns the steps that can hide links: steps that generated several values of one domain and at least one value of another domain. Most states have
 * no such step.
 */
function stepsOfSeveral(head: Encoded, holed: readonly Encoded[]): ReadonlySet<number> {
  const firsts = new Map<number, Map<string, Token>>();
  const several = new Set<number>();
  const read = ({ tokens }: Encoded): void => {
    for (const token of tokens) {
      const { step, domain } = token;
      if (step === 0) continue;
      let ofStep = firsts.get(step);
      if (ofStep === undefined) firsts.set(step, (ofStep = new Map()));
      const first = ofStep.get(domain);
      if (first === undefined) ofStep.set(domain, token);
      else if (first !== token) several.add(step);
    }
  };
  read(head);
  for (const part of holed) read(part);
  for (const step of several) if (firsts.get(step)!.size < 2) several.delete(step);
  return several;
}

function isHidden(parts: Parts): boolean {
  const all = new Set(parts.flatMap((part) => [...part]));
  const shared = sharedTokens(parts);
  // Count values under different keys of the context as one domain here, because the context may contain two codes under two keys.
  const others = groupedBy(
    [...all].filter((token) => !shared.has(token)),
    otherDomain,
  );
  const several = [...groupedBy(all, ({ domain }) => domain).values()].filter(
    (tokens) => tokens.length > 1 && [...others.keys()].some((other) => other !== otherDomain(tokens[0]!)),
  );
  if (several.length === 0) return false;
  const links = linksOf(parts, shared);
  let connected: ReturnType<typeof unionOf> | undefined;
  return several.some((tokens) => {
    const own = tokens.map((token) => links(token));
    const linked = new Set([...new Set(own)].flatMap((one) => [...one.tokens]));
    return [...others].some(([other, values]) => {
      if (other === otherDomain(tokens[0]!)) return false;
      const orders = own.filter((one) => !one.domains.has(other)).map(({ order }) => order);
      if (new Set(orders).size === orders.length) return false;
      const unlinked = values.filter((value) => !linked.has(value));
      if (unlinked.length === 0 || values.length > 1) return unlinked.length > 0;
      const root = (connected ??= unionOf(parts));
      return tokens.every((token) => root(token) !== root(unlinked[0]!));
    });
  });
}

function otherDomain({ domain }: Token): string {
  return domain.startsWith(`["${CONTEXT}"`) ? CONTEXT : domain;
}

function groupedBy(tokens: Iterable<Token>, key: (token: Token) => string): ReadonlyMap<string, readonly Token[]> {
  const groups = new Map<string, Token[]>();
  for (const token of tokens) {
    const group = groups.get(key(token));
    if (group === undefined) groups.set(key(token), [token]);
    else group.push(token);
  }
  return groups;
}

interface Links {
  readonly tokens: Set<Token>;
  /** The domains of the linked values, without the values in {@link sharedTokens}. */
  readonly domains: Set<string>;
  /**
   * The positions of the linked values within their step. These positions are part of the second hash of a state, so values with different positions
   * are distinguished.
   */
  order: string;
}

/**
 * Returns a function that returns the links of a value: all values that are connected with it by a part of the state, or by a chain of parts. A chain
 * ends at a value in {@link sharedTokens}, such as the key of an order with several items, because such a value does not distinguish the items.
 */
function linksOf(parts: Parts, shared: ReadonlySet<Token>): (token: Token) => Links {
  const root = unionOf(parts, shared);
  const keyOf = (token: Token): Token => (shared.has(token) ? token : root(token));
  const links = new Map<Token, Links>();
  for (const part of parts) {
    for (const key of new Set(Array.from(part, keyOf))) {
      const known = links.get(key) ?? { tokens: new Set(), domains: new Set(), order: "" };
      links.set(key, known);
      for (const token of part) {
        known.tokens.add(token);
        if (!shared.has(token)) known.domains.add(otherDomain(token));
      }
    }
  }
  for (const one of links.values())
    one.order = Array.from(one.tokens, ({ order }) => order)
      .toSorted()
      .join();
  return (token) => links.get(keyOf(token))!;
}

/** Joins the values of each part, except the values in `except` (union-find). Returns a function that gives the same value for all joined values. */
function unionOf(parts: Parts, except: ReadonlySet<Token> = new Set()): (token: Token) => Token {
  const parents = new Map<Token, Token>();
  const root = (token: Token): Token => {
    let top = token;
    for (let next = parents.get(top); next !== undefined; next = parents.get(top)) top = next;
    // Shorten the chain of parents, so that later calls are fast.
    for (let at = token; at !== top;) {
      const next = parents.get(at)!;
      parents.set(at, top);
      at = next;
    }
    return top;
  };
  for (const part of parts) {
    let first: Token | undefined;
    for (const token of part) {
      if (except.has(token)) continue;
      first ??= root(token);
      const other = root(token);
      if (other !== first) parents.set(other, first);
    }
  }
  return root;
}

/**
 * Returns the values that occur together with several values of one domain, each in a part of its own. For example, the key of an order occurs with
 * each of its items. A part that contains several values of one domain, such as a list, does not count.
 */
function sharedTokens(parts: Parts): ReadonlySet<Token> {
  const shared = new Set<Token>();
  const partners = new Map<Token, Map<string, Token>>();
  for (const part of parts) {
    const counts = new Map<string, number>();
    for (const { domain } of part) counts.set(domain, (counts.get(domain) ?? 0) + 1);
    const single = [...part].filter(({ domain }) => counts.get(domain) === 1);
    if (part.size < 2 || single.length === 0) continue;
    for (const token of part) {
      const known = partners.get(token) ?? new Map<string, Token>();
      partners.set(token, known);
      for (const one of single) {
        if (one === token) continue;
        if ((known.get(one.domain) ?? one) !== one) shared.add(token);
        known.set(one.domain, one);
      }
    }
  }
  return shared;
}
