import type { Encoded } from "./encoder.ts";
import type { Token } from "./tokens.ts";

/**
 * Returns `true` if a step generated several values of one domain, such as the keys of two recovery codes, and values of another domain, such as the
 * codes themselves, but the parts of the state do not show which of them belong together. States that differ only in this have equal texts: those in
 * which the one code or the other was used.
 */
export function hasHiddenLinks(parts: readonly Encoded[]): boolean {
  const steps = new Map<number, Map<string, Set<Token>>>();
  for (const { tokens } of parts) {
    for (const token of tokens) {
      if (token.step === 0) continue;
      let domains = steps.get(token.step);
      if (domains === undefined) steps.set(token.step, (domains = new Map()));
      const known = domains.get(token.domain);
      if (known === undefined) domains.set(token.domain, new Set([token]));
      else known.add(token);
    }
  }
  return [...steps].some(([step, domains]) => {
    const several = [...domains].filter(([, tokens]) => tokens.size > 1);
    if (domains.size < 2 || several.length === 0) return false;
    const groups = linkedTokens(parts.map(({ tokens }) => [...new Set(tokens.filter((token) => token.step === step))]));
    return several.some(([domain, tokens]) =>
      [...domains.keys()].some((other) => {
        const unlinked = [...tokens].map((token) => [...groups.get(token)!]).filter((group) => group.every((one) => one.domain !== other));
        // The order of generation, which is part of the second hash of the state, also tells values apart.
        const orders = unlinked.map((group) =>
          group
            .map(({ order }) => order)
            .toSorted()
            .join(),
        );
        return other !== domain && new Set(orders).size < orders.length;
      }),
    );
  });
}

/**
 * Returns, for each value of a step, the values that a part, or a chain of parts, links with it. A chain ends at a value that shares parts with
 * several values of one domain, such as the key of an order with several items, because it does not tell them apart.
 */
function linkedTokens(parts: readonly (readonly Token[])[]): ReadonlyMap<Token, ReadonlySet<Token>> {
  const shared = sharedTokens(parts);
  const groups = new Map<Token, ReadonlySet<Token>>();
  for (const part of parts) {
    const joined = new Set(part);
    for (const token of part) if (!shared.has(token)) for (const other of groups.get(token) ?? []) joined.add(other);
    for (const token of joined) if (!shared.has(token)) groups.set(token, joined);
    for (const token of part) if (shared.has(token)) groups.set(token, new Set([...(groups.get(token) ?? []), ...part]));
  }
  return groups;
}

/** Returns the values that share parts with several values of one domain. A part that contains several of them, such as a list, tells them apart. */
function sharedTokens(parts: readonly (readonly Token[])[]): ReadonlySet<Token> {
  const shared = new Set<Token>();
  const partners = new Map<Token, Map<string, Token>>();
  for (const part of parts) {
    const counts = new Map<string, number>();
    for (const { domain } of part) counts.set(domain, (counts.get(domain) ?? 0) + 1);
    const single = part.filter(({ domain }) => counts.get(domain) === 1);
    for (const token of part) {
      const known = partners.get(token) ?? new Map<string, Token>();
      partners.set(token, known);
      for (const one of single) {
        if (one !== token && (known.get(one.domain) ?? one) !== one) shared.add(token);
        known.set(one.domain, one);
      }
    }
  }
  return shared;
}
