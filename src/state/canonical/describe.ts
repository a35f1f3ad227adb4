import { types } from "node:util";
import type { ObservedTable, StoredValue } from "../../model/stores/store-adapter.ts";
import type { Facts } from "./facts.ts";
import { hashText32 } from "../hash/hasher.ts";
import { uuidPiece } from "../values/ids.ts";
import type { IdPiece } from "./pieces.ts";
import { modeIn } from "./columns.ts";
import { durationText } from "../values/times.ts";
import { jsonKeys, jsonNumber } from "../values/json-source.ts";
import { parsedJson } from "../values/places.ts";
import { childRules, joinPath, type PathRules } from "../values/rules.ts";
import { cutBeforeMark, isMark, mark, shapeOf, withoutMarks, type Marked } from "./same-names.ts";
import { Generated, JsonText, Mixed, Time } from "../values/named.ts";
import type { Origin, TimeOrigin } from "../values/origins.ts";
import { contentOf, FULL_ORDER } from "../compare/knowledge.ts";
import type { StateWriter } from "./state-text.ts";

const LONGEST_SHOWN = 200;
const DEEPEST_SHOWN = 40;

/** @param exact `true` to also show the origins of generated values and the order of keys in JSON, which the values do not show. */
export function describeFacts(facts: Facts, writer: StateWriter, exact: boolean = false): Marked {
  return new Describer(writer, facts, exact).lines();
}

/** Matches the places of those parts of a client's cookie that are not secret. */
const OF_COOKIE = /^clients\..*\.cookies\[\d+\]\.(?:name|domain|path)$/;

class Describer {
  readonly #writer: StateWriter;
  readonly #facts: Facts;
  readonly #names = new Map<string, string>();
  readonly #lines: string[] = [];
  /**
   * `true` while the state of a client is described. Texts of clients, such as tokens and passwords, are shown as hashes. The hashes hide the
   * secrets, but show whether two texts differ.
   */
  #secret = false;
  readonly #exact: boolean;
  /** `true` while the content of a JSON text is described. */
  #isJson = false;
  /** `true` while a key that is part of a path is described. Paths name fields, so no origins are shown in paths. */
  #isKey = false;

  constructor(writer: StateWriter, facts: Facts, exact: boolean) {
    this.#writer = writer;
    this.#exact = exact;
    this.#facts = facts;
    const state = writer.write(facts);
    for (const [key, name] of writer.tokens.constants) this.#names.set(key, name.startsWith("=") ? key : `root#${name.slice(1)}`);
    let next = 1;
    for (const token of state.free) if (token.key !== null) this.#names.set(token.key, mark("", next++));
    state.ranked.forEach((token, index) => this.#names.set(token.key!, mark("t", index + 1)));
  }

  lines(): readonly string[] {
    const { rules } = this.#writer;
    for (const [name, observed] of Object.entries(this.#facts.systems)) {
      const path = joinPath("systems", name);
      if (observed.kind === "value") {
        this.#value(path, observed.value, childRules(rules.systems, name), 0);
        continue;
      }
      for (const [counter, value] of Object.entries(observed.counters))
        this.#lines.push(`${joinPath(path, counter)} counter = ${String(value)}`);
      for (const table of observed.tables) this.#table(name, joinPath(path, table.name), table);
    }
    if (this.#facts.node !== undefined) this.#lines.push(`node: ${JSON.stringify(this.#facts.node)}`);
    this.#entries("context", Object.entries(this.#facts.context), rules.context, 0);
    this.#secret = true;
    this.#entries("clients", Object.entries(this.#facts.clients), rules.clients, 0);
    return this.#lines.sort();
  }

  #table(system: string, path: string, table: ObservedTable): void {
    const modes = this.#writer.plans.of(system, table).modes;
    const pieces = (text: string): ReturnType<StateWriter["pieces"]> => this.#writer.pieces(text);
    const show = (row: readonly StoredValue[]): string => {
      const cells: string[] = [];
      for (const [index, value] of row.entries()) {
        const mode = modeIn(modes[index]!, row, table.columns, pieces);
        if (mode.kind === "ignore") continue;
        let text: string | undefined;
        if (typeof value === "object" && value !== null && mode.kind !== "mask") text = this.#inline(value, 0);
        else if (mode.kind === "mask") text = value === null ? "null" : "<masked>";
        else if (mode.kind === "symmetric") text = this.#names.get(`${mode.domain}:${String(value)}`);
        else if (mode.kind === "key") text = this.#names.get(`t:${String(value)}`);
        cells.push(`${joinPath("", table.columns[index]!.name)}: ${text ?? this.#inline(value, 0)}`);
      }
      return `{${cells.join(", ")}}`;
    };
    const removed = table.removed.map(show);
    for (const row of table.added.map(show)) {
      const same = removed.indexOf(row);
      if (same >= 0) removed.splice(same, 1);
      else this.#lines.push(`${path} + ${row}`);
    }
    for (const row of removed) this.#lines.push(`${path} - ${row}`);
  }

  #value(path: string, value: unknown, rules: PathRules | undefined, depth: number): void {
    if (rules?.rule === "ignore") return;
    const json = rules === undefined || rules.rule !== undefined ? undefined : parsedContent(value);
    if (json !== undefined) return this.#value(path, json, rules, depth);
    const masked = rules?.rule === "mask" && value !== null && value !== undefined;
    if (!masked && depth < DEEPEST_SHOWN && typeof value === "object" && value !== null) {
      if (Array.isArray(value) && value.length > 0) {
        value.forEach((item, index) => this.#value(`${path}[${index}]`, item, childRules(rules, "[]"), depth + 1));
        return;
      }
      const entries = entriesOf(value);
      if (entries !== undefined && entries.length > 0) return this.#entries(path, entries, rules, depth + 1);
    }
    const wasSecret = this.#secret;
    if (OF_COOKIE.test(path)) this.#secret = false;
    this.#lines.push(`${path} = ${masked ? "<masked>" : this.#inline(value, depth)}`);
    this.#secret = wasSecret;
  }

  #entries(path: string, entries: readonly (readonly [unknown, unknown])[], rules: PathRules | undefined, depth: number): void {
    for (const [key, value] of entries) {
      this.#isKey = true;
      const shown = typeof key === "string" ? this.#text(key, false) : this.#inline(key, depth);
      this.#isKey = false;
      const place = isMark(shown) || shown.startsWith("root#") ? `${path}.${shown}` : joinPath(path, shown);
      this.#value(place, value, childRules(rules, typeof key === "string" ? key : "*"), depth);
    }
  }

  #inline(value: unknown, depth: number): string {
    switch (typeof value) {
      case "string":
        return this.#text(value, true);
      case "number":
      case "bigint":
        if (!this.#writer.clock.nearNumber(Number(value))) return Object.is(value, -0) ? "-0" : String(value);
        return this.#names.get(`t:${String(value)}`) ?? "<time>";
      case "object":
        return value === null ? "null" : this.#object(value, depth);
      default:
        return String(value);
    }
  }

  #object(value: object, depth: number): string {
    if (depth >= DEEPEST_SHOWN) return "...";
    if (value instanceof Generated) return this.#generated(value);
    if (value instanceof Time) return timeText(value) + this.#hidden(value.origin, "", value.origin.rank);
    if (value instanceof Mixed)
      return JSON.stringify(
        value.parts.map((part) => (typeof part === "string" ? this.#text(part, false) : this.#object(part, depth))).join(""),
      );
    if (value instanceof JsonText) return this.#json(value, depth);
    if (value instanceof Uint8Array) return this.#bytes(value);
    if (types.isDate(value)) return this.#writer.clock.nearMs(value.getTime()) ? "<time>" : `Date(${value.getTime()})`;
    if (Array.isArray(value)) return `[${value.map((item, index) => this.#item(value, String(index), item, depth + 1)).join(", ")}]`;
    if (types.isSet(value)) {
      return `Set{${Array.from(value, (item) => this.#inline(item, depth + 1))
        .sort()
        .join(", ")}}`;
    }
    const entries = entriesOf(value);
    if (entries === undefined) return this.#text(String(value), true);
    const shown = entries.map(([key, item]) => `${this.#inline(key, depth + 1)}: ${this.#item(value, key, item, depth + 1)}`);
    return `{${(this.#exact && this.#isJson ? shown : shown.sort()).join(", ")}}`;
  }

  /** Shows an item of an array, object or Map, and a number of JSON as the JSON has it. */
  #item(holder: object, key: unknown, item: unknown, depth: number): string {
    const text = this.#inline(item, depth);
    return (text === String(item) ? jsonNumber(holder, key) : undefined) ?? text;
  }

  #json({ value }: JsonText, depth: number): string {
    const outer = this.#isJson;
    this.#isJson = true;
    const text = `JSON ${this.#inline(value, depth + 1)}`;
    this.#isJson = outer;
    return text;
  }

  /**
   * Returns the parts of an origin that the canonical text contains but a description usually does not show. Returns an empty text if the description
   * is not exact.
   */
  #hidden({ domain, within, source }: Origin | TimeOrigin, label: string, order: number | undefined): string {
    if (!this.#exact || this.#isKey) return "";
    const { ordered } = this.#writer;
    const parts = [
      label,
      ordered.has(domain) ? order : undefined,
      ordered.has(FULL_ORDER) ? within : undefined,
      ordered.has(contentOf(domain)) ? source : undefined,
    ];
    return `<${parts.join("/")}>`;
  }

  #generated({ key, origin }: Generated): string {
    if (origin !== undefined) return (this.#names.get(key) ?? "#?") + this.#hidden(origin, origin.label, origin.order);
    return key.startsWith("=") ? JSON.stringify(shorten(withoutMarks(key.slice(key.indexOf(":") + 1)))) : `root#${key.slice(1)}`;
  }

  #bytes(value: Uint8Array): string {
    const hex = Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("hex");
    const uuid = value.length === 16 && this.#writer.byAppearance ? uuidPiece(hex, "b") : null;
    return uuid !== null ? this.#id(uuid) : `x"${shorten(hex)}"`;
  }

  #id(piece: IdPiece): string {
    return this.#names.get(piece.key) ?? "#?";
  }

  #text(text: string, quoted: boolean): string {
    const pieces = this.#writer.pieces(text);
    if (pieces?.length === 1 && pieces[0]!.kind === "id") return this.#id(pieces[0]!);
    if (pieces?.length === 1 && pieces[0]!.kind === "time") return "<time>";
    const show = (part: string): string => (this.#secret && quoted ? `<text ${hashText32(part).toString(16)}>` : part);
    let shown = "";
    for (const piece of pieces ?? [{ kind: "text" as const, text }]) {
      if (piece.kind === "text") shown += show(withoutMarks(piece.text));
      else if (piece.kind === "id") shown += this.#id(piece);
      else shown += piece.kind === "time" ? "<time>" : `{${piece.name}}`;
    }
    return quoted ? JSON.stringify(shorten(shown)) : shown;
  }
}

/**
 * Describes a time: `<now>`, `<now + 10 min>`, `<now + 2 s, in the past>`, or `<now + 10 min, 5 min ago>` if the target's clock was moved after the
 * time was written.
 */
function timeText({ origin: { name, isPassed } }: Time): string {
  const [, base = "", apart] = /^(root|step)(-?\d+)(?:[+~]|$)/.exec(name) ?? [];
  if (base === "") return "<time of the root state>";
  const offset = Number(apart);
  const moved = /~(\d+)$/.exec(name)?.[1];
  const ago = moved === undefined ? "" : `, ${durationText(Number(moved))} ago`;
  return `<${base === "root" ? "start" : "now"}${offset === 0 ? "" : ` ${offset < 0 ? "-" : "+"} ${durationText(offset)}`}${ago}${isPassed === true ? ", in the past" : ""}>`;
}

/** Returns the content of a JSON text. */
function parsedContent(value: unknown): unknown {
  return value instanceof JsonText ? value.value : typeof value === "string" ? parsedJson(value) : undefined;
}

function shorten(text: string): string {
  if (text.length <= LONGEST_SHOWN) return text;
  const shape = shapeOf(text);
  return `${cutBeforeMark(text.slice(0, LONGEST_SHOWN))}... (${shape.length} characters, ${hashText32(shape).toString(16)})`;
}

function entriesOf(value: object): readonly (readonly [unknown, unknown])[] | undefined {
  if (types.isMap(value)) return [...value];
  if (value instanceof Generated || value instanceof Time || value instanceof Mixed || value instanceof JsonText) return undefined;
  const special =
    types.isSet(value) || types.isDate(value) || types.isRegExp(value) || types.isBoxedPrimitive(value) || types.isAnyArrayBuffer(value);
  return special || ArrayBuffer.isView(value) || Array.isArray(value)
    ? undefined
    : jsonKeys(value).map((key) => [key, (value as Readonly<Record<string, unknown>>)[key]] as const);
}
