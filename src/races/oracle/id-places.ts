import type { ObservedTable, StoredValue } from "../../model/stores/store-adapter.ts";
import type { Facts } from "../../state/canonical/facts.ts";
import type { CallEnd, Execution } from "./execution.ts";
import { FreshIds, tableOf } from "./fresh-ids.ts";
import { mapLeaves, type Visitor } from "./leaves.ts";
import { mapCell, type FactsVisitor } from "./map-facts.ts";

/** Matches names of ids: `id`, `order_id`, `orderId`, `ORDER_ID`. */
const ID_NAME = /(?:^|_)id$|[a-z]I[dD]$|_ID$|^ID$/;
/** Maximum number of assumptions about which numbers are ids. States are compared under each assumption. */
const MOST = 150;

/** An assumption about which numbers are ids: for each place with ids, their domain. Numbers at other places are compared as plain numbers. */
export interface Hypothesis {
  /** `true` if keys of new rows, and columns that are declared to refer to them, count as ids. */
  readonly keys: boolean;
  readonly domains: ReadonlyMap<string, string>;
}

interface Known {
  readonly named: boolean;
  readonly name: string;
  /** Domains for which every number seen at this place is a generated id. */
  always: ReadonlySet<string> | undefined;
  /** Domains for which at least one number seen at this place is a generated id. */
  readonly ever: Set<string>;
  readonly tokens: Set<string>;
  /** `true` if a number at this place was replaced by another number in the same row or value, as in a counter. */
  counts: boolean;
  isInText: boolean;
  /** The text before the number, if the number is part of a text. */
  lead: string;
}

/**
 * Learns which places may hold ids of new rows, from calls executed one after another. A place holds no id if its number changes in an existing row,
 * is not a generated id, or is the same for different rows. This evidence is not needed for places with a name like `order_id`, nor for places whose
 * numbers changed together with ids between repetitions.
 */
export class IdPlaces {
  readonly #before: Facts;
  readonly #known: Map<string, Known> = new Map();
  /** Names of columns and JSON keys that hold plain numbers, not ids. */
  readonly #numbers = new Set<string>();
  /** Maps each place whose numbers changed together with the ids of a domain to this domain. */
  readonly #moved: Map<string, string> = new Map();
  readonly #fresh: WeakMap<Facts, FreshIds> = new WeakMap();

  constructor(before: Facts, orders: readonly Execution[]) {
    this.#before = before;
    for (const order of orders) this.learn(order);
  }

  freshOf(facts: Facts): FreshIds {
    let fresh = this.#fresh.get(facts);
    if (fresh === undefined) this.#fresh.set(facts, (fresh = new FreshIds(this.#before, facts)));
    return fresh;
  }

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

  /** Returns `true` if a number was replaced by another number at this place, or at a place with the same column or key name. */
  counts(place: string): boolean {
    const known = this.#known.get(place);
    return known !== undefined && (known.counts || this.#numbers.has(plain(known.name)));
  }

  /**
   * Records that numbers at a place changed together with the ids of a domain, between two executions of the calls in the same order. The numbers are
   * probably such ids.
   */
  moves(place: string, domain: string): void {
    this.#moved.set(place, domain);
  }

  /** Returns the places that may hold ids, each with the domains that the ids may come from, the likeliest first. */
  options(): ReadonlyMap<string, readonly string[]> {
    const places = [...this.#known].flatMap(([place, known]): [string, readonly string[]][] => {
      const options = this.#options(place, known);
      return options.length === 0 || this.#moved.has(place) ? [] : [[place, options]];
    });
    return new Map([...places, ...[...this.#moved].map(([place, domain]): [string, readonly string[]] => [place, [domain]])]);
  }

  /**
   * Returns the assumptions to try about which numbers are ids. First, only places whose numbers changed together with ids hold ids. Then, places
   * with names of ids hold ids, too. Then, all places hold ids, each with its likeliest domain. The remaining assumptions differ from the last of
   * these in one place, then in two places.
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

  /** Marks the places where a number was replaced by another number. Such a number is probably a counter and not an id. */
  #learnChange(was: (visitor: FactsVisitor) => void, is: (visitor: FactsVisitor) => void): void {
    const old = singles(was);
    if (old.size === 0) return;
    for (const [place, { token, name }] of singles(is)) {
      const before = old.get(place);
      if (before === undefined || before.token === token || token === "" || before.token === "") continue;
      this.#of(place, name).counts = true;
      // Leave out key-value stores, because all their values share one column name.
      if (!ID_NAME.test(name) && name !== "" && !place.endsWith(")")) this.#numbers.add(plain(name));
    }
  }

  #sampling(fresh: FreshIds, sent: readonly string[]): FactsVisitor {
    return {
      ...NO_VISITOR,
      number: (place, name, text, before) => {
        const known = this.#of(place, name);
        const token = tokenOf(text);
        // A label that the client sent in a request was not generated by the target.
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

export const answerPlace = ({ action }: CallEnd): string => `answer ${action}`;

/** Returns the body of an answer, parsed as JSON; the text of the body if it is no JSON. */
export function dataOf({ body }: CallEnd): unknown {
  if (body === undefined) return undefined;
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return body;
  }
}

export const tokenOf = (text: string): string => text.replace(/^0+(?=\d)/, "");

export const NO_VISITOR: FactsVisitor = {
  number: () => undefined,
  text: () => undefined,
  other: () => undefined,
  length: () => undefined,
  drops: () => false,
  declared: () => undefined,
};

/** Returns the number at each place, without leading zeros. A place with several numbers gets an empty text. */
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
  /** The content of the row before the change; `undefined` for a new row. */
  readonly was: readonly StoredValue[] | undefined;
}

/**
 * Returns the rows that differ from an earlier state, with their earlier content. In a table without a key, new rows are paired with removed rows by
 * position.
 */
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

/** Returns a name in a comparable form, so that `likeCount` equals `like_count`. */
export const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");

/**
 * Returns how well the name of a place fits the table of a domain (0 to 3), for example `order_id` and `orders`. The place's own table gets 0,
 * because columns rarely hold the id of their own row.
 */
function likeness(place: string, { name, lead }: Known, domain: string): number {
  const [table = ""] = domain.split(" ");
  const called = plain(table.split(".")[1] ?? "");
  const isOwn = place.startsWith(`${table}.`) || place.startsWith(`${table}(`);
  const stem = plain(name).replace(/id$/, "");
  if (stem !== "" && !lead) return called.startsWith(stem) ? 3 : isOwn ? 0 : 1;
  const singular = called.replace(/(?:ie|e?)s$/, "");
  const word = plain(/([A-Za-z]+)[^A-Za-z]*$/.exec(lead)?.[1] ?? "");
  if (singular !== "" && word.length > 1 && (word.startsWith(singular) || singular.startsWith(word))) return 3;
  // The path of the place, without the names of store and table, contains the name of the domain's table.
  if (singular !== "" && plain(place.replace(/^\w+\.\w+\./, "")).includes(singular)) return 2;
  return isOwn ? 0 : 1;
}
