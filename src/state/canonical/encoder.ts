import { types } from "node:util";
import type { Observed, ObservedColumn, ObservedTable, StoredValue } from "../../model/stores/store-adapter.ts";
import { SeqqaError } from "../../model/errors.ts";
import type { Clock } from "../values/clock.ts";
import { modeIn, type ColumnMode, type PlainMode, type TablePlan, type TablePlans } from "./columns.ts";
import type { Facts } from "./facts.ts";
import type { FreshCounters } from "./fresh-counters.ts";
import { uuidPiece } from "../values/ids.ts";
import { jsonKeys, jsonNumber } from "../values/json-source.ts";
import { Generated, JsonText, KNOWN, Mixed, Time } from "../values/named.ts";
import { parsedJson } from "../values/places.ts";
import { childRules, type PathRules, type Rules } from "../values/rules.ts";
import { sortedKeys } from "../values/sorted-keys.ts";
import { plainText, type Strings } from "../values/strings.ts";
import { anonymousToken, type Token } from "./tokens.ts";
import { contentOf, entriesEntry, FULL_ORDER, rowsEntry } from "../compare/knowledge.ts";

/** The text of a part of the state, such as a row, with an `@` in place of each id. `tokens` has the ids in the same order. */
export interface Encoded {
  readonly text: string;
  readonly tokens: readonly Token[];
}

/**
 * A state as a set of texts, in which ids have no names yet. The end of each text can be recognized, so the texts can be joined without ambiguity.
 */
export interface EncodedFacts {
  /** The text of the parts that every state has, in a fixed order: values of stores, counters, context, clients. */
  readonly head: Encoded;
  /** The texts of rows and collection entries that contain no ids. */
  readonly plain: string[];
  /** The texts of rows and collection entries that contain ids. */
  readonly holed: Encoded[];
  /** The orders of rows with ids, which show nothing about which ids belong together. */
  readonly orders: Encoded[];
}

/** A row of a table, or the whole content of a store without tables, for comparing states row by row. */
export interface EncodedRow {
  /** The text of the row, with an `@` for each id. */
  readonly text: string;
  /** The lookup keys of the ids in `text`, in the order in which they occur. */
  readonly keys: readonly string[];
  /** The lookup key of the id that is the row's primary key; `undefined` if the primary key is not an id. */
  readonly own: string | undefined;
  /** `true` if the row exists in the root state but not in this state. */
  readonly isMissing: boolean;
}

export interface EncoderOptions {
  /** The counters whose values are left out of texts without ranks. */
  readonly fresh: FreshCounters;
  readonly pinsWanted: boolean;
  readonly byAppearance: boolean;
  /** `true` if generated values are written without their origin. */
  readonly isAnonymous?: boolean | undefined;
}

const DEEPEST = 1_000;

/**
 * The positions of steps in the order in which the steps generated values. A text that is written with these ranks contains the order of generation.
 * A text that is written without ranks is equal for all orders.
 */
export interface Ranks {
  /** The rank of each step that generated ids, by the number of the step. */
  readonly steps: ReadonlyMap<number, number>;
  /** The rank of each step that wrote times, by the number of the step. */
  readonly times: ReadonlyMap<number, number>;
  /**
   * The domains whose values are written with their rank. An entry of {@link contentOf} means that values of its domain are written with the state in
   * which they were generated. `undefined`: all values are written with their rank and that state.
   */
  readonly domains: ReadonlySet<string> | undefined;
}

/** Writes a state as text. Two states get the same text only if an option makes them equal, such as `ignore`. */
export class Encoder {
  readonly #strings: Strings;
  readonly #clock: Clock;
  readonly #rules: Rules;
  readonly #plans: TablePlans;
  readonly #fresh: FreshCounters;
  readonly #byAppearance: boolean;
  readonly #pinsWanted: boolean;
  readonly #isAnonymous: boolean;
  /** Filled by {@link encode}: the domains in which each step generated values (`steps`) or wrote times (`times`). */
  readonly steps: Map<number, Set<string>> = new Map();
  readonly times: Map<number, Set<string>> = new Map();
  /** Filled by {@link encode}: the domains in which one step generated several values that have an order. */
  readonly within: Set<string> = new Set();
  /** Filled by {@link encode}: the counters whose values are left out if the text is written without ranks. */
  readonly freshCounters: Set<string> = new Set();
  /**
   * Filled by {@link encode}: the order of the rows of tables, as text by {@link rowsEntry}, and of the entries in other stores, by
   * {@link entriesEntry}. The order is left out if there are no ranks.
   */
  readonly rowOrders: Map<string, string> = new Map();
  #ranks: Ranks | undefined;
  /**
   * Integers that were found outside of tables, or in columns that may refer to renamed keys. A key that equals one of these integers must not be
   * renamed, because the integer may refer to the key.
   */
  readonly pins: Set<string> = new Set();
  /** Integers that look like times but are keys of rows, so that they are not treated as times. */
  readonly #timeKeys = new Set<string>();
  #pinning = false;
  /** `true` while the parsed content of a JSON text is written. */
  #isJson = false;
  /** `true` while entries of objects, Maps and Sets are written in their order. */
  #keepsOrder = false;
  /** `true` if an object, Map or Set with several entries was written. */
  #hasEntries = false;
  #tokens: Token[] = [];
  #plain: string[] = [];
  #holed: Encoded[] = [];
  /** The orders of rows with ids. */
  #orders: Encoded[] = [];

  constructor(
    strings: Strings,
    clock: Clock,
    rules: Rules,
    plans: TablePlans,
    { fresh, pinsWanted, byAppearance, isAnonymous = false }: EncoderOptions,
  ) {
    this.#strings = strings;
    this.#clock = clock;
    this.#rules = rules;
    this.#plans = plans;
    this.#fresh = fresh;
    this.#pinsWanted = pinsWanted;
    this.#byAppearance = byAppearance;
    this.#isAnonymous = isAnonymous;
  }

  encode(facts: Facts, ranks?: Ranks): EncodedFacts {
    this.#ranks = ranks;
    this.steps.clear();
    this.times.clear();
    this.within.clear();
    this.freshCounters.clear();
    this.rowOrders.clear();
    this.#timeKeys.clear();
    const encoded = this.#pass(facts);
    // The first pass may have treated a number as a time before it found a row that has this number as its key. A second pass is then needed.
    return this.#timeKeys.size === 0 ? encoded : this.#pass(facts);
  }

  /** Returns every row of the stores. A store without tables is returned as one row. Counters are left out. */
  rows(systems: Facts["systems"]): readonly EncodedRow[] {
    const rows: EncodedRow[] = [];
    this.times.clear();
    for (const name of sortedKeys(systems)) {
      const observed = systems[name]!;
      if (observed.kind === "value") {
        this.#tokens = [];
        this.#holed = [];
        for (const part of [{ text: this.#valueStore(name, observed), tokens: this.#tokens }, ...this.#holed])
          rows.push({ text: part.text, keys: keysOf(part.tokens), own: undefined, isMissing: false });
        continue;
      }
      for (const table of observed.tables) {
        const plan = this.#plans.of(name, table);
        const own = plan.modes.findIndex((mode, column) => isOwnKey(mode, table.columns[column]!));
        for (const [isMissing, some] of [[false, table.added] as const, [true, table.removed] as const]) {
          for (const row of some) {
            this.#holed = [];
            const text = `${plan.prefix}${this.#row(plan, row)}`;
            const key = own < 0 ? undefined : this.#ownKey(plan.modes[own]!, row[own]!);
            for (const part of [{ text, tokens: this.#tokens }, ...this.#holed])
              rows.push({ text: part.text, keys: keysOf(part.tokens), own: key, isMissing });
          }
        }
      }
    }
    return rows;
  }

  #ownKey(mode: ColumnMode, value: StoredValue): string | undefined {
    if (typeof value !== "string") return this.#symmetricKey(mode, value);
    const { tokens } = this.#strings.of(value);
    return tokens.length === 1 ? (tokens[0]!.key ?? undefined) : undefined;
  }

  #symmetricKey(mode: ColumnMode, value: StoredValue): string | undefined {
    return mode.kind === "symmetric" && (typeof value === "bigint" || Number.isInteger(value))
      ? `${mode.domain}:${String(value)}`
      : undefined;
  }

  #pass(facts: Facts): EncodedFacts {
    this.#tokens = [];
    this.#plain = [];
    this.#holed = [];
    this.#orders = [];
    this.#pinning = this.#pinsWanted;
    if (this.#pinning) this.pins.clear();
    let text = "";
    for (const name of sortedKeys(facts.systems)) text += this.#system(name, facts.systems[name]!);
    text += "C";
    text += this.#value(facts.context, 0, this.#rules.context);
    text += "A";
    text += this.#value(facts.clients, 0, this.#rules.clients);
    if (facts.node !== undefined) text += `G${plainText(facts.node)}`;
    return { head: { text, tokens: this.#tokens }, plain: this.#plain, holed: this.#holed, orders: this.#orders };
  }

  #system(name: string, observed: Observed): string {
    if (observed.kind === "value") return this.#valueStore(name, observed);
    let text = "";
    const fresh = this.#fresh.of(name, observed);
    for (const counter of fresh) this.freshCounters.add(`${name}.${counter}`);
    const isWritten = this.#ranks !== undefined && this.#ranks.domains === undefined;
    const counters = sortedKeys(observed.counters).filter((counter) => isWritten || !fresh.includes(counter));
    if (counters.length > 0) {
      text = `N${name.length}:${name}`;
      for (const counter of counters) text += plainText(counter) + this.#value(observed.counters[counter], 0, undefined);
      text += "]";
    }
    const outer = this.#tokens;
    this.#pinning = false;
    for (const table of observed.tables) this.#table(name, table);
    this.#pinning = this.#pinsWanted;
    this.#tokens = outer;
    return text;
  }

  #valueStore(name: string, { value, received, steps = [], hasEntryOrder }: Extract<Observed, { readonly kind: "value" }>): string {
    const rules = childRules(this.#rules.systems, name);
    const prefix = `V${name.length}:${name}`;
    if (rules?.rule === "ignore") return prefix;
    if (hasEntryOrder === true) {
      this.#hasEntries = false;
      const text = prefix + this.#value(value, 0, rules);
      if (this.#hasEntries) this.#entryOrder(entriesEntry(name), () => `${prefix}>${this.#value(value, 0, rules)}`);
      return text;
    }
    if (rules?.rule !== undefined || received === undefined || steps.every((count) => count < 2))
      return prefix + this.#value(value, 0, rules);
    const { [received]: all, ...rest } = value as Readonly<Record<string, unknown>>;
    return `${prefix}${this.#value(rest, 0, rules)}${this.#received(all, steps, childRules(rules, received))}`;
  }

  /** Writes the order of the entries of a store, if the text contains it. `write`: returns the text of the store. */
  #entryOrder(entry: string, write: () => string): void {
    this.rowOrders.set(entry, "");
    if (this.#ranks === undefined || this.#ranks.domains?.has(entry) === false) return;
    const outer = this.#tokens;
    this.#tokens = [];
    this.#keepsOrder = true;
    const text = write();
    this.#keepsOrder = false;
    this.rowOrders.set(entry, text);
    if (this.#tokens.length > 0) this.#orders.push({ text, tokens: this.#tokens });
    else this.#plain.push(text);
    this.#tokens = outer;
  }

  /** Returns the text of the requests that a third party received. Requests of one step are an unordered collection. */
  #received(all: unknown, steps: readonly number[], rules: PathRules | undefined): string {
    if (rules?.rule === "ignore") return "";
    if (!Array.isArray(all) || rules?.rule !== undefined) return this.#value(all, 1, rules);
    let text = "(";
    let from = 0;
    for (const count of [...steps, all.length]) {
      const some: readonly unknown[] = all.slice(from, (from += count));
      text +=
        some.length < 2
          ? this.#value(some, 1, rules)
          : `S${this.#entries(
              some.map((one) => [one] as const),
              1,
              rules,
            )}`;
    }
    return `${text})`;
  }

  #table(system: string, table: ObservedTable): void {
    const plan = this.#plans.of(system, table);
    const gone = new Map<string, number>();
    const { inPlace, positions } = table;
    // If the rows of a table have an order, the position of a changed row is part of the state. Otherwise, `at` returns an empty text.
    const at = (position: StoredValue | undefined): string => (position === undefined ? "" : `${String(position)}:`);
    for (const [index, row] of table.removed.entries()) {
      const text = at(positions?.removed[index]) + this.#row(plan, row);
      if (this.#tokens.length > 0) this.#holed.push({ text: `${plan.prefix}-${text}`, tokens: this.#tokens });
      else gone.set(text, (gone.get(text) ?? 0) + 1);
    }
    let placed = 0;
    let last = 0;
    const rows: Encoded[] | undefined = table.readOrder && [];
    for (const [index, row] of table.added.entries()) {
      const isPlaced = inPlace === undefined || index < inPlace;
      const position = isPlaced ? at(positions?.added[index]) : "";
      const text = position + this.#row(plan, row);
      const before = isPlaced && this.#tokens.length === 0 && gone.size > 0 ? (gone.get(text) ?? 0) : 0;
      // If a step changed only ignored or masked columns of a row of the root state, the removed row and the added row have the same text. The row
      // then counts as unchanged.
      if (before > 0) {
        gone.set(text, before - 1);
        continue;
      }
      const place = inPlace === undefined || position !== "" ? "" : isPlaced ? `${placed++}:` : `${last++}>`;
      if (this.#tokens.length > 0) this.#holed.push({ text: `${plan.prefix}+${place}${text}`, tokens: this.#tokens });
      else this.#plain.push(`${plan.prefix}+${place}${text}`);
      if (rows !== undefined) rows[index] = { text, tokens: this.#tokens };
    }
    const order = table.readOrder?.filter((index) => rows?.[index] !== undefined) ?? [];
    // If the step that inserted a row generated its key, for each row, the order of the keys is the order of the rows.
    if (order.some((index) => !plan.hasOwnKey(table.added[index]!)))
      this.#readOrder(
        rowsEntry(system, table.name),
        plan,
        order.map((index) => rows![index]!),
      );
    for (const [text, count] of gone) for (let i = 0; i < count; i++) this.#plain.push(`${plan.prefix}-${text}`);
  }

  /** Writes the order of rows, if the text contains it. `rows`: the rows in their order. */
  #readOrder(entry: string, { prefix }: TablePlan, rows: readonly Encoded[]): void {
    if (rows.length < 2) return;
    const text = `${prefix}>${rows.map((row) => row.text).join("")}`;
    this.rowOrders.set(entry, text);
    if (this.#ranks === undefined || this.#ranks.domains?.has(entry) === false) return;
    const tokens = rows.flatMap((row) => row.tokens);
    if (tokens.length > 0) this.#orders.push({ text, tokens });
    else this.#plain.push(text);
  }

  #row(plan: TablePlan, row: readonly StoredValue[]): string {
    this.#tokens = [];
    let text = "[";
    if (plan.plain) for (let i = 0; i < row.length; i++) text += this.#value(row[i], 0, undefined);
    else for (let i = 0; i < row.length; i++) text += this.#cell(this.#modeOf(plan, i, row), row[i]!);
    return `${text}]`;
  }

  #modeOf({ modes, columns }: TablePlan, column: number, row: readonly StoredValue[]): PlainMode {
    const mode = modes[column]!;
    return mode.kind === "by_row" ? modeIn(mode, row, columns, (text) => this.#strings.pieces(text)) : mode;
  }

  #cell(mode: PlainMode, value: StoredValue): string {
    if (typeof value === "object" && value !== null && mode.kind !== "ignore" && mode.kind !== "mask")
      return this.#value(value, 0, undefined);
    switch (mode.kind) {
      case "plain":
        return this.#value(value, 0, undefined);
      case "ignore":
        return "";
      case "mask":
        return value === null ? "n" : "X";
      case "symmetric": {
        const key = this.#symmetricKey(mode, value);
        return key === undefined ? this.#value(value, 0, undefined) : this.#integerKey(key, "", "", "i");
      }
      case "pins":
        this.#pin(String(value));
        return mode.isKey ? this.#cell({ kind: "key" }, value) : this.#value(value, 0, undefined);
      case "key":
        if ((typeof value === "number" || typeof value === "bigint") && this.#clock.nearNumber(Number(value))) {
          this.#timeKeys.add(String(value));
          return this.#timeKey(String(value));
        }
        return this.#value(value, 0, undefined);
    }
  }

  #integerKey(key: string, rank: string, order: string, form: string): string {
    const name = this.#strings.tokens.constants.get(key);
    if (name !== undefined) return `K${form}${name};`;
    this.#tokens.push(this.#strings.tokens.of({ key, rank, order }));
    return `@${form}`;
  }

  #value(value: unknown, depth: number, rules: PathRules | undefined): string {
    if (rules?.rule === "mask" && value !== null && value !== undefined) return "X";
    switch (typeof value) {
      case "string": {
        const parsed = rules === undefined ? undefined : parsedJson(value);
        return parsed === undefined ? this.#string(value) : `J${this.#json(parsed, depth + 1, rules)}`;
      }
      case "number":
        if (this.#pinning) this.pins.add(String(value));
        // JavaScript writes 0 and -0 as the same text. A target can read the sign back, for example from a float of PostgreSQL.
        if (value < 1e9 && value > -1e9) return value === 0 && Object.is(value, -0) ? "#-0;" : `#${value};`;
        return this.#clock.nearNumber(value) ? this.#time(value) : `#${digitsOf(value)};`;
      case "boolean":
        return value ? "t" : "f";
      case "object":
        return value === null ? "n" : this.#object(value, depth, rules);
      case "undefined":
        return "u";
      case "bigint":
        if (this.#pinning) this.pins.add(String(value));
        // Code in this process can tell a bigint from a number, so the types belong to the order of the entries of a store in memory.
        this.#hasEntries = true;
        if (this.#keepsOrder) return `#${value}n;`;
        return this.#clock.nearNumber(Number(value)) ? this.#time(value) : `#${value};`;
      default:
        throw new SeqqaError("STATE_NOT_DATA", `A state contains a value of type ${typeof value}, which seqqa cannot compare.`, {
          hint: "Put only plain data (as in JSON) into the context, and return only plain data from observe() of your own stores.",
        });
    }
  }

  /** Returns the text of a number that is near the clock. The number is a time, unless it is the key of a row. */
  #time(value: number | bigint): string {
    const digits = String(value);
    return this.#timeKeys.has(digits) || this.#strings.tokens.constants.has(`t:${digits}`) ? this.#timeKey(digits) : "T";
  }

  #timeKey(digits: string): string {
    return this.#integerKey(`t:${digits}`, "t", digits.padStart(24, "0"), "n");
  }

  #pin(text: string): void {
    for (const digits of text.match(/\d+/g) ?? []) this.pins.add(digits);
  }

  #string(value: string): string {
    if (this.#pinning) this.#pin(value);
    const known = this.#strings.of(value);
    for (let i = 0; i < known.tokens.length; i++) this.#tokens.push(known.tokens[i]!);
    return known.text;
  }

  #object(value: object, depth: number, rules: PathRules | undefined): string {
    if (depth >= DEEPEST) {
      throw new SeqqaError("STATE_TOO_DEEP", `A state is nested deeper than ${DEEPEST} levels, or contains a reference to itself.`, {
        hint: "Leave out the field with `ignore` or `stateFromContext`, or put a flatter value into the context.",
      });
    }
    if (Array.isArray(value)) {
      const inner = rules === undefined ? undefined : childRules(rules, "[]");
      if (inner?.rule === "ignore") return "[]";
      let text = "[";
      for (let i = 0; i < value.length; i++) text += this.#item(value, String(i), value[i], depth + 1, inner);
      return `${text}]`;
    }
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) {
      const special = this.#special(value, depth, rules);
      if (special !== undefined) return special;
    }
    return this.#record(value as Readonly<Record<string, unknown>>, depth, rules);
  }

  #record(value: Readonly<Record<string, unknown>>, depth: number, rules: PathRules | undefined): string {
    const keys = this.#isJson ? jsonKeys(value) : this.#keepsOrder ? Object.keys(value) : sortedKeys(value);
    if (keys.length > 1) this.#hasEntries = true;
    const before = this.#tokens.length;
    const holedBefore = this.#holed.length;
    let text = "{";
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i]!;
      const known = this.#strings.of(key);
      if (known.tokens.length > 0 && !this.#keepsOrder) {
        // If keys contain ids, the entries cannot be sorted by their keys, because the order would depend on the values of the ids. Discard what was
        // written, and write the entries as an unordered collection.
        this.#tokens.length = before;
        this.#holed.length = holedBefore;
        return `{${this.#entries(Object.entries(value), depth, rules, value)}`;
      }
      const inner = rules === undefined ? undefined : childRules(rules, key);
      if (inner !== undefined && inner.rule === "ignore") continue;
      if (this.#pinning) this.#pin(key);
      for (const token of known.tokens) this.#tokens.push(token);
      text += known.text;
      text += this.#item(value, key, value[key], depth + 1, inner);
    }
    return `${text}}`;
  }

  /** Returns the text of an item of an array, object or Map, and a number's spelling in JSON if it is not that of JavaScript. */
  #item(holder: object, key: unknown, item: unknown, depth: number, rules: PathRules | undefined): string {
    const text = this.#value(item, depth, rules);
    const spelling = this.#isJson && typeof item === "number" && text[0] === "#" ? jsonNumber(holder, key) : undefined;
    return spelling === undefined ? text : `${text}=${spelling};`;
  }

  /**
   * Returns the canonical text of a value that was parsed from JSON. The entries of an object keep their order, because the target may depend on this
   * order. An object with generated keys is unordered: many targets and stores sort keys, so its order would depend on the generated values.
   */
  #json(value: unknown, depth: number, rules: PathRules | undefined): string {
    const outer = this.#isJson;
    this.#isJson = true;
    const text = this.#value(value, depth, rules);
    this.#isJson = outer;
    return text;
  }

  /**
   * Returns the text of an unordered collection. If the entries contain no ids, this is the sorted texts of the entries. Otherwise, each entry
   * becomes a separate part of the state. An artificial id that occurs nowhere else connects these parts with the collection.
   */
  #entries(
    entries: Iterable<readonly [unknown, unknown] | readonly [unknown]>,
    depth: number,
    rules: PathRules | undefined,
    holder: object = entries,
  ): string {
    const outer = this.#tokens;
    const outerHoled = this.#holed;
    this.#holed = [];
    const parts: Encoded[] = [];
    let holes = 0;
    for (const entry of entries) {
      const isMember = entry.length === 1 && typeof entry[0] === "object";
      const inner = rules === undefined ? undefined : childRules(rules, isMember ? "[]" : typeof entry[0] === "string" ? entry[0] : "*");
      if (inner?.rule === "ignore") continue;
      this.#tokens = [];
      let text = this.#value(entry[0], depth + 1, isMember ? inner : undefined);
      if (entry.length === 2) text += this.#item(holder, entry[0], entry[1], depth + 1, inner);
      holes += this.#tokens.length;
      parts.push({ text, tokens: this.#tokens });
    }
    const nested = this.#holed;
    this.#tokens = outer;
    this.#holed = outerHoled;
    if (parts.length > 1) this.#hasEntries = true;
    if (this.#keepsOrder) {
      for (const { tokens } of parts) outer.push(...tokens);
      return `${parts.map((part) => part.text).join("")}}`;
    }
    if (holes === 0) {
      return `${parts
        .map((part) => part.text)
        .sort()
        .join("")}}`;
    }
    const owner = anonymousToken();
    for (const part of parts) outerHoled.push({ text: `e@c${part.text}]`, tokens: [owner, ...part.tokens] });
    outerHoled.push(...nested);
    outer.push(owner);
    return `@c${parts.length}}`;
  }

  #special(value: object, depth: number, rules: PathRules | undefined): string | undefined {
    if (value instanceof Generated) return this.#generated(value);
    if (value instanceof Time) return this.#moment(value);
    if (value instanceof Mixed) return this.#mixed(value);
    if (value instanceof JsonText) return `J${this.#json(value.value, depth + 1, rules)}`;
    if (value instanceof Uint8Array) return this.#bytes(value);
    if (types.isDate(value)) {
      const ms = value.getTime();
      return this.#clock.nearMs(ms) ? "T" : `D${ms};`;
    }
    if (types.isMap(value)) return `M${this.#entries(value, depth, rules)}`;
    if (types.isSet(value))
      return `S${this.#entries(
        Array.from(value, (member): readonly [unknown] => [member]),
        depth,
        rules,
      )}`;
    if (types.isAnyArrayBuffer(value)) return `B${this.#bytes(new Uint8Array(value))}`;
    if (ArrayBuffer.isView(value)) {
      const kind = value.constructor.name;
      return `Y${kind.length}:${kind}${this.#bytes(new Uint8Array(value.buffer, value.byteOffset, value.byteLength))}`;
    }
    if (types.isRegExp(value)) return `x${plainText(String(value))}`;
    if (types.isBoxedPrimitive(value)) return `o${this.#value(value.valueOf(), depth + 1, rules)}`;
    if (types.isNativeError(value))
      return `!${plainText(value.name)}${this.#string(value.message)}${this.#record({ ...value }, depth, rules)}`;
    return undefined;
  }

  #generated({ key, form, origin }: Generated): string {
    if (origin === undefined) return `K${form}${key};`;
    if (this.#isAnonymous) {
      this.#tokens.push(this.#strings.tokens.of({ key: `${KNOWN}${key}`, rank: "", order: "" }));
      return `@${form};`;
    }
    const { label, step, domain, source, order, within } = origin;
    addTo(this.steps, step, domain);
    this.#tokens.push(this.#strings.tokens.of({ key, rank: "", order: String(order ?? within ?? "") }, step, domain));
    return `@${form}${label}${this.#rank(domain, this.#ranks?.steps.get(step), order)}${this.#within(domain, within)}${this.#source(domain, source)};`;
  }

  #source(domain: string, source: string | undefined): string {
    if (source === undefined || this.#ranks === undefined || this.#ranks.domains?.has(contentOf(domain)) === false) return "";
    return `<${source}`;
  }

  /**
   * Returns the position of an id or time among the values of its step. Returns an empty text if the order within a step ({@link FULL_ORDER}) is not
   * part of the text.
   */
  #within(domain: string, within: number | undefined): string {
    if (within === undefined) return "";
    this.within.add(domain);
    return this.#ranks === undefined || this.#ranks.domains?.has(FULL_ORDER) === false ? "" : `~${within}`;
  }

  #moment({ form, origin: { name, step, domain, isPassed, rank, within, source } }: Time): string {
    if (domain !== "") addTo(this.times, step, domain);
    const ranks = this.#rank(domain, this.#ranks?.times.get(step), rank) + this.#within(domain, within);
    return `T${form}${name}${isPassed === true ? "!" : ""}${ranks}${this.#source(domain, source)};`;
  }

  /**
   * Returns the rank of a step, and the position of a value among the values of the step. Returns an empty text if the domain's order is not part of
   * the text.
   */
  #rank(domain: string, rank: number | undefined, order: number | undefined): string {
    const { domains } = this.#ranks ?? {};
    if (rank === undefined || (domains !== undefined && !domains.has(domain))) return "";
    return order === undefined ? `/${rank}` : `/${rank}.${order}`;
  }

  #mixed({ parts }: Mixed): string {
    let text = `E${parts.length}:`;
    for (const part of parts)
      text += typeof part === "string" ? this.#string(part) : part instanceof Generated ? this.#generated(part) : this.#moment(part);
    return text;
  }

  #bytes(value: Uint8Array): string {
    const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    if (value.length === 16 && this.#byAppearance) {
      const uuid = uuidPiece(bytes.toString("hex"), "b");
      if (uuid !== null) return this.#integerKey(uuid.key, uuid.rank, uuid.order, "b");
    }
    return `b${value.length}:${bytes.toString("base64")}`;
  }
}

function addTo(places: Map<number, Set<string>>, step: number, place: string): void {
  const known = places.get(step);
  if (known === undefined) places.set(step, new Set([place]));
  else known.add(place);
}

/** Returns `true` if a column is the key of its own table, not a reference to another table. */
function isOwnKey(mode: ColumnMode, { key, references }: ObservedColumn): boolean {
  return mode.kind === "symmetric" && key === true && references === undefined;
}

/** Returns the lookup keys of ids. The artificial id that connects a collection with its entries has an empty key. */
function keysOf(tokens: readonly Token[]): readonly string[] {
  return tokens.map(({ key }) => key ?? "");
}

// Above 2^53, JavaScript writes a number with fewer exact digits than the bigint of the same value. Use the bigint's digits, so that both texts are
// equal.
const digitsOf = (value: number): string => String(Number.isInteger(value) && !Number.isSafeInteger(value) ? BigInt(value) : value);
