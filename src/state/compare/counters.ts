import { singular, tableOf } from "../values/places.ts";
import type { Pair } from "./differing-pairs.ts";

/**
 * The counters (domains) that gave integers in two executions, found by their pairs of values: if a counter gave 17 in the first execution and 23 in
 * the second, a place with 17 in the first and 23 in the second may contain its integer.
 */
export class Counters {
  readonly #pairs = new Map<string, Set<string>>();

  add(domain: string, a: string, b: string): void {
    const pairs = this.#pairs.get(domain) ?? new Set();
    this.#pairs.set(domain, pairs.add(`${a}\n${b}`));
  }

  /**
   * Returns the counters that may have generated the two integers at a place. A foreign key has the counter of the key to which it refers. A key has
   * its own counter. But if the key's column is named after another table, such as `user_id`, and that table has the same pair of values, the counter
   * of that table comes first. For integers that are neither keys nor foreign keys, see {@link holding}.
   */
  of({ a, b, place, domain, column }: Pair): readonly string[] {
    if (domain === undefined) return this.holding(String(a), String(b), place);
    if (column?.references !== undefined) return [domain];
    const others = this.holding(String(a), String(b), place).filter((one) => one !== domain && isNamedIn(place, one));
    return [...others, domain];
  }

  /**
   * Returns the counters that gave the first integer in the first execution and the second integer in the second execution. Counters with the most
   * pairs of integers come first. Used for counters outside of tables.
   */
  largest({ a, b }: Pair): readonly string[] {
    const all = [...this.#pairs].filter(([, pairs]) => pairs.has(`${String(a)}\n${String(b)}`));
    return all.toSorted(([x, one], [y, other]) => other.size - one.size || (x < y ? -1 : 1)).map(([domain]) => domain);
  }

  /**
   * Returns the counters that gave the number `a` in the first execution and the number `b` in the second execution. Counters of a table after which
   * the place is named (`order_id`) come first. Used for counters of tables (sequences, auto-increment).
   */
  holding(a: string, b: string, place: string): readonly string[] {
    const all = [...this.#pairs].filter(([, pairs]) => pairs.has(`${a}\n${b}`)).map(([domain]) => domain);
    return [...all.filter((domain) => isNamedIn(place, domain)), ...all.filter((domain) => !isNamedIn(place, domain))];
  }
}

/** Returns `true` if the last part of a place, such as a column, contains the name of a domain's table. */
function isNamedIn(place: string, domain: string): boolean {
  return (JSON.parse(place) as readonly string[])
    .at(-1)!
    .toLowerCase()
    .includes(singular(tableOf(domain)!));
}
