import type { Encoded } from "./encoder.ts";
import type { Token } from "./tokens.ts";

/** The values that a step generated: those of each domain, and those of each part of the state. */
interface Made {
  readonly domains: Map<string, Set<Token>>;
  readonly parts: Set<Token>[];
  /** The part that was read last. */
  last: Encoded | undefined;
}

/**
 * Returns `true` if a step generated several values of one domain, such as the keys of two recovery codes, and values of another domain, such as the
 * codes themselves, but the parts of the state do not show which of them belong together. States that differ only in this have equal texts: those in
 * which the one code or the other was used.
 */
export function hasHiddenLinks(parts: readonly Encoded[]): boolean {
  const steps = new Map<number, Made>();
  for (const part of parts) {
    for (const token of part.tokens) {
      if (token.step === 0) continue;
      let made = steps.get(token.step);
      if (made === undefined) steps.set(token.step, (made = { domains: new Map(), parts: [], last: undefined }));
      if (made.last !== part) made.parts.push(new Set());
      made.last = part;
      made.parts.at(-1)!.add(token);
      const known = made.domains.get(token.domain);
      if (known === undefined) made.domains.set(token.domain, new Set([token]));
      else known.add(token);
    }
  }
  return [...steps.values()].some(isHidden);
}

function isHidden({ domains, parts }: Made): boolean {
  const several = [...domains].filter(([, tokens]) => tokens.size > 1);
  if (domains.size < 2 || several.length === 0) return false;
  const groups = linkedTokens(parts);
  const links = new Map(
    [...new Set(groups.values())].map((group) => {
      // The order of generation, which is part of the second hash of the state, also tells values apart.
      const orders = Array.from(group, ({ order }) => order);
      return [group, { domains: new Set(Array.from(group, ({ domain }) => domain)), order: orders.toSorted().join() }];
    }),
  );
  return several.some(([domain, tokens]) => {
    const all = Array.from(tokens, (token) => links.get(groups.get(token)!)!);
    return [...domains.keys()].some((other) => {
      const orders = all.filter((one) => !one.domains.has(other)).map(({ order }) => order);
      return other !== domain && new Set(orders).size < orders.length;
    });
  });
}

/**
 * Returns, for each value of a step, the values that a part, or a chain of parts, links with it. A chain ends at a value that shares parts with
 * several values of one domain, such as the key of an order with several items, because it does not tell them apart.
 */
function linkedTokens(parts: readonly ReadonlySet<Token>[]): ReadonlyMap<Token, ReadonlySet<Token>> {
  const shared = sharedTokens(parts);
  const groups = new Map<Token, Set<Token>>();
  for (const part of parts) {
    const joined = new Set(part);
    for (const before of new Set(Array.from(part, (token) => (shared.has(token) ? undefined : groups.get(token)))))
      for (const other of before ?? []) joined.add(other);
    for (const token of joined) if (!shared.has(token)) groups.set(token, joined);
    for (const token of part) {
      if (!shared.has(token)) continue;
      const own = groups.get(token) ?? new Set();
      groups.set(token, own);
      for (const other of part) own.add(other);
    }
  }
  return groups;
}

/** Returns the values that share parts with several values of one domain. A part that contains several of them, such as a list, tells them apart. */
function sharedTokens(parts: readonly ReadonlySet<Token>[]): ReadonlySet<Token> {
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
