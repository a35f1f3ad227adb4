import { types } from "node:util";
import type { ObservedColumn, ObservedTable, StoredValue } from "../../model/stores/store-adapter.ts";
import type { Facts } from "../canonical/facts.ts";
import type { GeneratedPlace } from "../compare/knowledge.ts";
import { likeJson } from "../values/json-source.ts";
import { JsonText, Mixed, type Generated, type Time } from "../values/named.ts";
import {
  columnPlace,
  INDEX,
  JSON_TEXT,
  JWT_TEXT,
  KEY,
  parsedJson,
  parsedJwt,
  parsedSigned,
  SIGNED_TEXT,
  TABLES,
} from "../values/places.ts";
import { momentOf, steadyLifetime } from "../values/times.ts";
import { SHORTEST_WORD, splitAtWords, wordOf, wordOfBytes } from "../values/words.ts";
import type { PlaceNode } from "./place-tree.ts";
import type { RootTimes } from "./root-times.ts";
import type { RootTokens } from "./root-tokens.ts";
import type { TimeNames } from "./time-names.ts";
import type { ValueNames } from "./value-names.ts";

export interface Names {
  readonly values: ValueNames;
  readonly times: TimeNames;
  readonly rootTimes: RootTimes;
  readonly rootTokens: RootTokens;
}

/**
 * Walks through facts and replaces each value that has a name. This class knows where values can be found (in JSON, tokens, words of a text, keys of
 * objects). {@link Names} provides the names. Values without a name are returned unchanged and are not copied.
 */
export class FactsWalk {
  readonly #tree: PlaceNode;
  readonly #values: ValueNames;
  readonly #times: TimeNames;
  readonly #rootTimes: RootTimes;
  readonly #rootTokens: RootTokens;
  #isRoot = false;
  /** The part of the facts that is being read. */
  #part: "stores" | "context" | "clients" = "stores";

  constructor(tree: PlaceNode, { values, times, rootTimes, rootTokens }: Names) {
    this.#tree = tree;
    this.#values = values;
    this.#times = times;
    this.#rootTimes = rootTimes;
    this.#rootTokens = rootTokens;
  }

  /** Returns facts with replaced values. @param isRoot `true` if the facts are the root state, whose times and tokens are collected. */
  replace(facts: Facts, isRoot: boolean = false): Facts {
    this.#isRoot = isRoot;
    const systems: Record<string, Facts["systems"][string]> = {};
    const inSystems = this.#tree.inner.get("systems");
    const inTables = this.#tree.inner.get(TABLES);
    for (const [name, observed] of Object.entries(facts.systems)) {
      const ofStore = inTables?.inner.get(name)?.inner;
      systems[name] =
        observed.kind === "value"
          ? { ...observed, value: this.#value(observed.value, inSystems?.inner.get(name)) }
          : { ...observed, tables: observed.tables.map((table) => this.#table(table, ofStore?.get(table.name))) };
    }
    this.#part = "context";
    const context = this.#value(facts.context, this.#tree.inner.get("context")) as Facts["context"];
    this.#part = "clients";
    const clients = this.#value(facts.clients, this.#tree.inner.get("clients")) as Facts["clients"];
    this.#part = "stores";
    return { ...facts, systems, context, clients };
  }

  #table(table: ObservedTable, node: PlaceNode | undefined): ObservedTable {
    const hasKinds = node !== undefined && table.columns.some(({ kind }) => kind === true);
    const row = (cells: readonly StoredValue[]): readonly StoredValue[] => {
      const kinds = hasKinds ? cells.map((cell, index) => this.#kindOf(cell, table.columns[index]!, node)) : cells;
      return cells.map((cell, index) => {
        // Fast path: most cells are numbers or booleans without a known place.
        if (node === undefined && typeof cell !== "string" && typeof cell !== "object") return this.#value(cell, undefined) as StoredValue;
        this.#values.isOfKind = hasKinds && table.columns[index]!.kind === true;
        const named = this.#value(cell, node?.inner.get(columnPlace(table.columns, index, kinds))) as StoredValue;
        this.#values.isOfKind = false;
        return named;
      });
    };
    // A changed row of the root state is in both `added` and `removed`.
    const keys = !this.#rootTimes.hasPlaces ? [] : table.columns.flatMap(({ key }, index) => (key === true ? [index] : []));
    const keyOf = (cells: readonly StoredValue[]): string => keys.map((index) => String(cells[index])).join("\n");
    const before = keys.length === 0 ? undefined : new Set(table.removed.map(keyOf));
    const added = table.added.map((cells) => {
      this.#times.row = before?.has(keyOf(cells)) === false ? "new" : undefined;
      return row(cells);
    });
    this.#times.row = "removed";
    const hasRootNames = this.#values.constants.size + this.#rootTimes.named.size + this.#rootTokens.size > 0;
    const removed = hasRootNames ? table.removed.map(row) : table.removed;
    this.#times.row = undefined;
    return { ...table, added, removed };
  }

  /**
   * Returns the key or field name of a row with `*` for its generated values. The pattern of the name alone would often be wrong, because ids in
   * base64url contain separators, and few ids look like a word.
   */
  #kindOf(cell: StoredValue, { name, kind }: ObservedColumn, table: PlaceNode): StoredValue {
    const node = kind === true && typeof cell === "string" ? table.inner.get(name) : undefined;
    if (node === undefined) return cell;
    const isGenerated = (text: string, place: GeneratedPlace | undefined): boolean =>
      place !== undefined && this.#values.mayBeGenerated(text, place);
    this.#values.isOfKind = true;
    const isWhole = isGenerated(cell as string, node.whole);
    const parts = isWhole ? [] : splitAtWords(cell as string, (word, after) => isGenerated(word, node.words.get(after)) || undefined);
    this.#values.isOfKind = false;
    return isWhole ? "*" : (parts?.map(({ text, found }) => (found === true ? "*" : text)).join("") ?? cell);
  }

  #value(value: unknown, node: PlaceNode | undefined): unknown {
    switch (typeof value) {
      case "string":
        return this.#text(value, node);
      case "number":
      case "bigint":
        return this.#number(value, node);
      case "object":
        return value === null ? value : this.#object(value, node);
      default:
        return value;
    }
  }

  #number(value: number | bigint, node: PlaceNode | undefined): unknown {
    if (node?.time !== undefined) return this.#times.at(value, node.time) ?? value;
    if (node?.whole?.domain !== undefined)
      return this.#values.at(`${node.whole.domain}:${String(value)}`, "i", String(value), node.whole) ?? value;
    if (value >= 1e9) {
      const moment = momentOf(value);
      if (moment === undefined) return value;
      if (this.#isRoot) this.#rootTimes.meet(moment.ms, false);
      return this.#times.elsewhere(moment.ms, moment.form) ?? value;
    }
    return value;
  }

  #text(text: string, node: PlaceNode | undefined): unknown {
    if (this.#isRoot && this.#part !== "stores") this.#rootTokens.meet(text, this.#part);
    if (node?.time !== undefined) return this.#times.at(text, node.time) ?? text;
    // Generated values in JSON have places of their own inside the JSON, so a JSON text is never one generated value.
    if (node?.whole !== undefined && parsedJson(text) === undefined) {
      const { domain } = node.whole;
      const word = domain === undefined ? wordOf(text) : { key: `${domain}:${text}`, form: "s" };
      return this.#values.at(word.key, word.form, text, node.whole) ?? text;
    }
    const json = node?.inner.get(JSON_TEXT);
    if (json !== undefined) {
      const parsed = parsedJson(text);
      if (parsed !== undefined) return new JsonText(this.#value(parsed, json));
    }
    const jwt = node?.inner.get(JWT_TEXT);
    if (jwt !== undefined) {
      // Look the token up among known values first: if a store holds the same token, both copies get the same name.
      const stored = this.#values.known(wordOf(text));
      const parsed = stored === undefined ? parsedJwt(text) : undefined;
      if (stored !== undefined || parsed !== undefined) return stored ?? this.#signed(text, parsed, jwt);
    }
    const signed = node?.inner.get(SIGNED_TEXT);
    const content = signed === undefined ? undefined : parsedSigned(text);
    return content === undefined ? this.#loose(text, node) : this.#signed(text, content, signed);
  }

  #signed(text: string, content: unknown, node: PlaceNode | undefined): JsonText {
    const outer = this.#times.token;
    this.#times.token = text.replace(/^Bearer /, "");
    const named = new JsonText(this.#value(content, node));
    this.#times.token = outer;
    return named;
  }

  /** Replaces known generated values inside a text, for places where experiments did not show the text itself to be generated. */
  #loose(text: string, node: PlaceNode | undefined): unknown {
    if (this.#isRoot) {
      const moment = momentOf(text);
      if (moment !== undefined) this.#rootTimes.meet(moment.ms, false);
    }
    const hasWords = node !== undefined && (node.words.size > 0 || node.timeWords.size > 0);
    const hasTimes = this.#times.hasNames;
    if (!hasWords && !this.#values.hasNames && !hasTimes && this.#rootTokens.size === 0) return text;
    const whole = this.#values.known(wordOf(text)) ?? this.#rootTokens.named(text);
    if (whole !== undefined) return whole;
    const moment = hasTimes ? momentOf(text) : undefined;
    const time = moment === undefined ? undefined : this.#times.elsewhere(moment.ms, moment.form);
    if (time !== undefined) return time;
    const parts = splitAtWords(text, (word, after) => this.#wordIn(word, after, node));
    if (parts === undefined) return text;
    // Join adjacent texts, because a placeholder such as the URL of the lane's target is longer than a word.
    const joined: (string | Generated | Time)[] = [];
    for (const { found, text: word } of parts) {
      const last = joined.at(-1);
      if (found === undefined && typeof last === "string") joined[joined.length - 1] = last + word;
      else joined.push(found ?? word);
    }
    return new Mixed(joined);
  }

  #wordIn(word: string, after: string, node: PlaceNode | undefined): Generated | Time | undefined {
    const time = node?.timeWords.get(after);
    if (time !== undefined) return this.#times.at(word, time);
    const place = node?.words.get(after);
    if (place !== undefined) {
      const { key, form } = place.domain === undefined ? wordOf(word) : { key: `${place.domain}:${word}`, form: "s" };
      return this.#values.at(key, form, word, place);
    }
    return word.length < SHORTEST_WORD ? undefined : (this.#values.known(wordOf(word)) ?? this.#rootTokens.named(word));
  }

  #object(value: object, node: PlaceNode | undefined): unknown {
    if (Array.isArray(value)) {
      const inner = node?.inner.get(INDEX);
      let copy: unknown[] | undefined;
      for (let i = 0; i < value.length; i++) {
        const renamed = this.#value(value[i], inner);
        if (copy === undefined && renamed !== value[i]) copy = value.slice(0, i);
        copy?.push(renamed);
      }
      return copy === undefined ? value : likeJson(copy, value);
    }
    if (value instanceof Uint8Array) {
      const word = wordOfBytes(value);
      if (node?.whole !== undefined) return this.#values.at(word.key, word.form, word.key, node.whole) ?? value;
      return this.#values.known(word) ?? value;
    }
    if (types.isDate(value)) {
      if (node?.time !== undefined) return this.#times.at(value, node.time) ?? value;
      if (this.#isRoot) this.#rootTimes.meet(value.getTime(), false);
      return this.#times.elsewhere(value.getTime(), "object") ?? value;
    }
    if (types.isMap(value)) return new Map([...value].map(([key, item]) => this.#entry(key, item, node)));
    if (types.isSet(value)) return new Set([...value].map((item) => this.#value(item, node?.inner.get(KEY))));
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) return value;
    const before = Object.entries(value);
    const entries = before.map(([key, item]) => this.#entry(key, item, node));
    if (entries.every(([key, item], index) => key === before[index]![0] && item === before[index]![1])) return value;
    // An object with a renamed key becomes a Map, because a renamed key is not a string.
    const copy = entries.every(([key]) => typeof key === "string") ? Object.fromEntries(entries as [string, unknown][]) : new Map(entries);
    return likeJson(copy, value, (key) => entries[before.findIndex(([old]) => old === key)]![0]);
  }

  #entry(key: unknown, item: unknown, node: PlaceNode | undefined): [unknown, unknown] {
    const renamed = typeof key === "string" ? this.#text(key, node?.inner.get(KEY)) : key;
    const inner = typeof renamed === "string" ? (node?.inner.get(renamed) ?? node?.inner.get("*")) : node?.inner.get("*");
    return [renamed, this.#value(steadyLifetime(key, item), inner)];
  }
}
