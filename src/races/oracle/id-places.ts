import type { ObservedTable, StoredValue } from "../../model/stores/store-adapter.ts";
import type { Facts } from "../../state/canonical/facts.ts";
import type { CallEnd, Execution } from "./execution.ts";
import { FreshIds, tableOf } from "./fresh-ids.ts";
import { mapLeaves, type Visitor } from "./leaves.ts";
import { mapCell, type FactsVisitor } from "./map-facts.ts";

/** Names of ids: `id`, `order_id`, `orderId`, `ORDER_ID`. */
const ID_NAME = /(?:^|_)id$|[a-z]I[dD]$|_ID$|^ID$/;
/** Limit of hypotheses; each is another reading of both executions. */
const MOST = 150;

/** A reading of the places in states and answers: place -> the domain that its numbers are ids of. Places that are not listed hold numbers. */
export interface Hypothesis {
  /** `true` if keys and declared references of new rows are renamed. */
  readonly keys: boolean;
  readonly domains: ReadonlyMap<string, string>;
}

interface Known {
  readonly named: boolean;
  readonly name: string;
  /** Domains of which all numbers seen here are ids. */
  always: ReadonlySet<string> | undefined;
  /** Domains of which some number seen here is an id. */
  readonly ever: Set<string>;
  readonly tokens: Set<string>;
  /** `true` if a number replaced another one here: it counts something. */
  counts: boolean;
  isInText: boolean;
  /** The text before the number. */
  lead: string;
}

/**
 * Knows which places may hold ids of new rows, from executions of the calls one after another. A place holds a number if it changes in a row that
 * stays, if it ever shows a number that is not a new id, or if it shows the same number for different rows. Places named like an id, and places that
 * changed together with the ids of rows between two repetitions, need no such proof.
 */
export class IdPlaces {
  readonly #before: Facts;
  readonly #known: Map<string, Known> = new Map();
  /** Names of columns and keys that hold numbers. */
  readonly #numbers = new Set<string>();
  /** Places that changed together with the ids of a domain. */
  readonly #moved: Map<string, string> = new Map();
  readonly #fresh: WeakMap<Facts, FreshIds> = new WeakMap();

  /** @param before The state in which all executions begin. */
  constructor(before: Facts, orders: readonly Execution[]) {
    this.#before = before;
    for (const order of orders) this.learn(order);
  }

  freshOf(facts: Facts): FreshIds {
    let fresh = this.#fresh.get(facts);
    if (fresh === undefined) this.#fresh.set(facts, (fresh = new FreshIds(this.#before, facts)));
    return fresh;
  }

  /** Learns from an execution of the calls one after another. */
  learn({ after, calls, states }: Execution): void {
    const sent = calls.flatMap((call) => call?.exchanges ?? []).map(({ request }) => `${request?.url ?? ""} ${request?.body ?? ""}`);
    let previous = this.#before;
    for (const facts of after) {
      this.#learnState(previous, facts, sent);
      previous = facts;
    }
    const fresh = this.freshOf(states[0]!.facts);
    for (const call of calls) {
      if (call === undefined) continue;
      mapLeaves(dataOf(call), answerPlace(call), "", this.#sampling(fresh, sent));
    }
  }

  /** Returns `true` if a number replaced another one there, or under the same name. */
  counts(place: string): boolean {
    const known = this.#known.get(place);
    return known !== undefined && (known.counts || this.#numbers.has(plain(known.name)));
  }

  /** Records that the numbers at a place changed together with the ids of a counter between two executions of one order of the calls: they are probably such ids. */
  moves(place: string, domain: string): void {
    this.#moved.set(place, domain);
  }

  /** Returns the places that may hold ids, each with its possible domains, the likeliest first. */
  options(): ReadonlyMap<string, readonly string[]> {
    const places = [...this.#known].flatMap(([place, known]): [string, readonly string[]][] => {
      const options = this.#options(place, known);
      return options.length === 0 || this.#moved.has(place) ? [] : [[place, options]];
    });
    return new Map([...places, ...[...this.#moved].map(([place, domain]): [string, readonly string[]] => [place, [domain]])]);
  }

  /**
   * Returns the readings that are worth trying: none and all of the places in their likeliest reading, then with one of them read in another way,
   * then with two.
   */
  hypotheses(): readonly Hypothesis[] {
    const places = [...this.options()];
    const isNamed = (place: string): boolean => this.#moved.has(place) || this.#known.get(place)?.named === true;
    const found: Hypothesis[] = [{ keys: false, domains: new Map(this.#moved) }];
    const seen = new Set<string>();
    const add = (domains: ReadonlyMap<string, string>): void => {
      const key = JSON.stringify([...domains]);
      if (seen.has(key) || found.length >= MOST) return;
      seen.add(key);
      found.push({ keys: true, domains });
    };
    const label = (options: readonly string[]): string => options.find((domain) => domain.includes(" ")) ?? options[0]!;
    const likeliest = new Map(places.map(([place, options]) => [place, options[0]!]));
    const bases = [likeliest, new Map(places.map(([place, options]) => [place, label(options)]))];
    add(new Map(this.#moved));
    add(new Map([...likeliest].filter(([place]) => isNamed(place))));
    for (const base of bases) add(base);
    const others = (base: ReadonlyMap<string, string>): readonly ReadonlyMap<string, string>[] =>
      places.flatMap(([place, options]) =>
        [...options, ...(isNamed(place) ? [] : [undefined])].flatMap((domain) => {
          if (domain === base.get(place)) return [];
          return [
            new Map(
              [...base].flatMap(([one, own]): [string, string][] =>
                one !== place ? [[one, own]] : domain === undefined ? [] : [[one, domain]],
              ),
            ),
          ];
        }),
      );
    const near = bases.flatMap(others);
    for (const one of near) add(one);
    for (const one of near) {
      if (found.length >= MOST) break;
      for (const further of others(one)) add(further);
    }
    return found;
  }

  #options(place: string, known: Known): readonly string[] {
    const { named, name, always, ever, tokens, counts, isInText } = known;
    if (!named && (counts || this.#numbers.has(plain(name)) || (tokens.size < 2 && !isInText))) return [];
    const options = [...(named ? ever : (always ?? []))];
    return options.toSorted((a, b) => likeness(place, known, b) - likeness(place, known, a));
  }

  #learnState(previous: Facts, facts: Facts, sent: readonly string[]): void {
    const fresh = this.freshOf(facts);
    const sampling = this.#sampling(fresh, sent);
    for (const [name, observed] of Object.entries(facts.systems)) {
      if (observed.kind === "value") {
        const was = previous.systems[name];
        this.#learnChange(
          (visitor) => mapLeaves(was?.kind === "value" ? was.value : undefined, `systems.${name}`, "", visitor),
          (visitor) => mapLeaves(observed.value, `systems.${name}`, "", visitor),
        );
        mapLeaves(observed.value, `systems.${name}`, "", sampling);
      } else for (const table of observed.tables) this.#learnTable(name, table, tableOf(previous, name, table.name), sampling);
    }
    for (const [key, value] of Object.entries(facts.context)) {
      if (value !== this.#before.context[key]) mapLeaves(value, `context.${key}`, key, sampling);
    }
  }

  #learnTable(system: string, table: ObservedTable, previous: ObservedTable | undefined, sampling: FactsVisitor): void {
    const versions = pairedRows(table, previous);
    for (const { row, was } of versions) {
      row.forEach((value, index) => {
        if (was !== undefined && was[index] === value) return;
        mapCell(system, table, row, index, sampling);
        if (was === undefined) return;
        this.#learnChange(
          (visitor) => mapCell(system, table, was, index, visitor),
          (visitor) => mapCell(system, table, row, index, visitor),
        );
      });
    }
  }

  /** Learns from a number that replaced another one. */
  #learnChange(was: (visitor: FactsVisitor) => void, is: (visitor: FactsVisitor) => void): void {
    const old = singles(was);
    if (old.size === 0) return;
    for (const [place, { token, name }] of singles(is)) {
      const before = old.get(place);
      if (before === undefined || before.token === token || token === "" || before.token === "") continue;
      this.#of(place, name).counts = true;
      // In key-value stores a column's name says nothing.
      if (!ID_NAME.test(name) && name !== "" && !place.endsWith(")")) this.#numbers.add(plain(name));
    }
  }

  #sampling(fresh: FreshIds, sent: readonly string[]): FactsVisitor {
    return {
      ...NO_VISITOR,
      number: (place, name, text, before) => {
        const known = this.#of(place, name);
        const token = tokenOf(text);
        // A label that a request contained was not given out by the target.
        const isSent = before !== undefined && sent.some((one) => one.includes(`${before.slice(-20)}${text}`));
        const domains = isSent ? [] : fresh.domainsOf(token, before);
        known.tokens.add(token);
        known.isInText ||= before !== undefined;
        known.lead = before ?? "";
        for (const domain of domains) known.ever.add(domain);
        known.always = new Set(known.always === undefined ? domains : domains.filter((domain) => known.always!.has(domain)));
        return undefined;
      },
    };
  }

  #of(place: string, name: string): Known {
    let known = this.#known.get(place);
    if (known === undefined) {
      known = {
        named: ID_NAME.test(name),
        name,
        always: undefined,
        ever: new Set(),
        tokens: new Set(),
        counts: false,
        isInText: false,
        lead: "",
      };
      this.#known.set(place, known);
    }
    return known;
  }
}

/** Returns the place prefix of an answer's parts. */
export const answerPlace = ({ action }: CallEnd): string => `answer ${action}`;

/** Returns the body of an answer as data. */
export function dataOf({ body }: CallEnd): unknown {
  if (body === undefined) return undefined;
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return body;
  }
}

/** Returns a number without leading zeros. */
export const tokenOf = (text: string): string => text.replace(/^0+(?=\d)/, "");

/** A visitor that ignores everything and changes nothing. */
export const NO_VISITOR: FactsVisitor = {
  number: () => undefined,
  text: () => undefined,
  other: () => undefined,
  length: () => undefined,
  drops: () => false,
  declared: () => undefined,
};

/** Returns the numbers that are the only ones at their places. */
function singles(visit: (visitor: FactsVisitor) => void): ReadonlyMap<string, { readonly token: string; readonly name: string }> {
  const found = new Map<string, { token: string; name: string }>();
  const visitor: Visitor = {
    ...NO_VISITOR,
    number: (place, name, text) => {
      found.set(place, { token: found.has(place) ? "" : tokenOf(text), name });
      return undefined;
    },
  };
  visit({ ...NO_VISITOR, ...visitor });
  return found;
}

interface Version {
  readonly row: readonly StoredValue[];
  /** The row before; `undefined` if the row is new. */
  readonly was: readonly StoredValue[] | undefined;
}

/** Returns the rows that differ from an earlier state, with their earlier content. Rows without a key are paired with removed ones. */
function pairedRows(table: ObservedTable, previous: ObservedTable | undefined): readonly Version[] {
  const keys = table.columns.flatMap(({ key }, index) => (key === true ? [index] : []));
  const text = (row: readonly StoredValue[]): string => row.map((value) => `${typeof value} ${String(value)}`).join("\n");
  const keyOf = (row: readonly StoredValue[]): string => text(keys.length === 0 ? row : keys.map((index) => row[index]!));
  const by = (rows: readonly (readonly StoredValue[])[] | undefined): Map<string, readonly StoredValue[]> =>
    new Map((rows ?? []).map((row) => [keyOf(row), row]));
  const [wasAdded, wasRemoved, removed, added] = [by(previous?.added), by(previous?.removed), by(table.removed), by(table.added)];
  if (keys.length === 0) {
    const gone = [...[...wasAdded].filter(([key]) => !added.has(key)), ...[...removed].filter(([key]) => !wasRemoved.has(key))].map(
      ([, row]) => row,
    );
    const come = table.added.filter((row) => !wasAdded.has(keyOf(row)));
    return come.map((row, at) => ({ row, was: gone[at] }));
  }
  return table.added.flatMap((row): Version[] => {
    const key = keyOf(row);
    const was = wasAdded.get(key) ?? (wasRemoved.has(key) ? undefined : removed.get(key));
    return was !== undefined && text(was) === text(row) ? [] : [{ row, was }];
  });
}

/** Returns a name in a comparable form: `likeCount` and `like_count` are one name. */
const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");

/** Returns how similar a place's name is to the table of a domain; columns that hold the id of their own row are rare. */
function likeness(place: string, { name, lead }: Known, domain: string): number {
  const [table = ""] = domain.split(" ");
  const called = plain(table.split(".")[1] ?? "");
  const isOwn = place.startsWith(`${table}.`) || place.startsWith(`${table}(`);
  const stem = plain(name).replace(/id$/, "");
  if (stem !== "" && !lead) return called.startsWith(stem) ? 3 : isOwn ? 0 : 1;
  const singular = called.replace(/(?:ie|e?)s$/, "");
  const word = plain(/([A-Za-z]+)[^A-Za-z]*$/.exec(lead)?.[1] ?? "");
  if (singular !== "" && word.length > 1 && (word.startsWith(singular) || singular.startsWith(word))) return 3;
  // The part after the names of store, table and column, or of the action.
  if (singular !== "" && plain(place.replace(/^\w+\.\w+\./, "")).includes(singular)) return 2;
  return isOwn ? 0 : 1;
}
