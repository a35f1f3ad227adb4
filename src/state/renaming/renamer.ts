import { types } from "node:util";
import type { ObservedTable, StoredValue } from "../../model/stores/store-adapter.ts";
import type { Facts } from "../canonical/facts.ts";
import { isPlain, type GeneratedPlace, type Knowledge, type TimePlace } from "../compare/knowledge.ts";
import { hashName, hashText, hashText32 } from "../hash/hasher.ts";
import type { HiddenTimes } from "./hidden-times.ts";
import { msOf, NO_ORIGINS, ROOT_TIMES, timeKeyAt, type Origin, type Origins, type TimeKey, type TimeOrigin } from "../values/origins.ts";
import {
  columnPlace,
  fieldOf,
  INDEX,
  isInToken,
  JSON_TEXT,
  JWT_TEXT,
  KEY,
  parsedJson,
  parsedJwt,
  parsedSigned,
  replaceJwts,
  replaceSigned,
  signedTokens,
  SIGNED_TEXT,
  singular,
  tableOf,
  TABLES,
} from "../values/places.ts";
import {
  FURTHEST_MS,
  fittingOffset,
  isFixed,
  momentOf,
  offsetFromStep,
  simplestOffset,
  zoneOf,
  type Moment,
  type StepWindow,
} from "../values/times.ts";
import { positionsOfTimed } from "../values/ids.ts";
import { Generated, JsonText, KNOWN, Mixed, Time } from "../values/named.ts";
import { splitAtWords, wordOf, wordOfBytes, type Word } from "../values/words.ts";

export interface StepOrigin extends StepWindow {
  readonly action: string;
  readonly exchanges: readonly SentRequest[];
}

export interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  /** The credentials of the request: the values of `authorization` and `cookie`. */
  readonly acting: string;
  readonly answer: string;
  /** The values of the answer's headers. Absent if there are none. */
  readonly answerHeaders?: string | undefined;
}

/** The knowledge about one place, and about the places inside its value (keys, indices, columns). */
interface Node {
  whole: GeneratedPlace | undefined;
  readonly words: Map<string, GeneratedPlace>;
  time: TimePlace | undefined;
  readonly timeWords: Map<string, TimePlace>;
  readonly inner: Map<string, Node>;
}

/** A counter that generates integers. */
interface Counter {
  readonly domain: string;
  /** The {@link singular} name of the counter's table. */
  readonly table: string | undefined;
  /** `true` if integers of the counter occur in the context or in a client. */
  readonly isHeld: boolean;
}

function countersOf({ generated }: Knowledge): readonly Counter[] {
  const held = new Set(generated.filter(({ place }) => tableOf(place) === undefined).map(({ domain }) => domain));
  return [...new Set(generated.flatMap(({ domain }) => domain ?? []))].map((domain) => {
    const table = tableOf(domain);
    return { domain, table: table === undefined ? undefined : singular(table), isHeld: held.has(domain) };
  });
}

/**
 * Replaces values that experiments showed to be generated values or times with {@link Generated} and {@link Time}. All other values are kept, even if
 * they look generated. Each lane has one instance.
 */
export class Renamer {
  readonly #tree: Node = newNode();
  readonly #hasPlaces: boolean;
  /**
   * `true` if generated values or times in signed tokens are known. Each state then needs a name, which is the {@link Origin.source} of such values.
   */
  readonly namesSources: boolean;
  /** `true` if times in signed tokens are known. */
  readonly namesTokens: boolean;
  /** `true` if places of times are known. */
  readonly knowsTimes: boolean;
  readonly #literals: ReadonlySet<string>;
  readonly #noisy: ReadonlySet<string>;
  readonly #counters: readonly Counter[];
  /** The generated values of the root state, with names that are the same in all states. */
  #constants: ReadonlyMap<string, string> = new Map();
  /**
   * A hash of the generated values of the root state. Lanes with equal root states have different hashes if their targets generated other values. A
   * state that is copied between such lanes would contain values without a name.
   */
  rootValues: string = "";
  #rootTimes: ReadonlyMap<number, TimeOrigin> = new Map();
  #origins: Origins = NO_ORIGINS;
  #ids: Map<string, Origin> = new Map();
  #times: Map<TimeKey, TimeOrigin> = new Map();
  /** The times of the root state that were found at places where experiments showed times, as keys of {@link timeKeyAt}. */
  readonly #rootPlaced = new Set<TimeKey>();
  /** The times in signed tokens of the root state, as keys that {@link timeKeyAt} makes from the time and a hash of the token. */
  readonly #rootTokens = new Set<TimeKey>();
  /**
   * Signed tokens of clients and of the context in the root state. The name of a token consists of its claims without times. The names are used where
   * nothing is known about the content of such a token: each lane logs in at another time, so the tokens differ between lanes.
   */
  readonly #ofRoot = new Map<string, string>();
  /** A hash of these tokens. */
  rootTokens: string = "";
  /** `true` if the context of the root state contains such a token. */
  hasTokensInContext: boolean = false;
  /** The part of the facts that is being read. */
  #part: "stores" | "context" | "clients" = "stores";
  /** The signed token that is being read, without `Bearer`; `undefined` outside of tokens. */
  #token: string | undefined;
  #known: Map<string, Generated> = new Map();
  #fresh: { readonly key: string; readonly text: string; readonly place: GeneratedPlace }[] = [];
  /** The times that the observed step wrote, with their keys in `#times`. */
  #newTimes: { readonly key: TimeKey; readonly ms: number }[] = [];
  /** The times in tokens that the observed step signed. */
  readonly #signedTimes = new Set<TimeKey>();
  /** `true` while {@link observe} reads a state. Otherwise, times of the root state never count as passed. */
  #passes = false;
  #step: StepOrigin | undefined;
  /** The target's clock, in milliseconds since 1970. */
  clock: { now(): number; readonly aheadMs: number } = REAL_TIME;
  /** The columns that the observed step filled with the real time, although the target's clock is far ahead. */
  readonly realTimeColumns: Set<string> = new Set();
  #nowMs = 0;
  #isRoot = false;
  readonly #rootMoments = new Map<number, { isKnown: boolean }>();
  /** `true` while rows are read that the observed state no longer contains. Their times do not pass. */
  #isRemoved = false;
  /** `true` while a row is read whose key no row of the root state has. */
  #isNewRow = false;
  #hidden: HiddenTimes | undefined;
  /** The times of the root state that were in the future when the root state was made. */
  #rootFuture: readonly number[] = [];
  /** The times of the root state that `setup` may have written. */
  #setupTimes: readonly number[] = [];
  #rootEndMs = 0;

  constructor(knowledge: Knowledge, literals: ReadonlySet<string>) {
    this.#literals = new Set([...literals].map((text) => wordOf(text).key));
    this.#noisy = new Set(knowledge.noisyActions);
    this.#counters = countersOf(knowledge);
    for (const one of knowledge.generated) {
      const node = this.#nodeAt(one.place);
      if (one.after === "") node.whole = one;
      else node.words.set(one.after, one);
    }
    for (const one of knowledge.times) {
      const node = this.#nodeAt(one.place);
      if (one.after === "") node.time = one;
      else node.timeWords.set(one.after, one);
    }
    this.knowsTimes = knowledge.times.length > 0;
    this.namesTokens = knowledge.times.some(({ place }) => isInToken(place));
    this.namesSources = knowledge.generated.length > 0 || this.namesTokens;
    this.#hasPlaces = knowledge.generated.length + knowledge.times.length > 0;
  }

  /** Returns `true` if a time of the root state lies in the second that begins at `secondMs`, in milliseconds since 1970. */
  hasRootTimeIn(secondMs: number): boolean {
    for (const ms of this.#rootTimes.keys()) if (ms >= secondMs && ms < secondMs + 1_000) return true;
    return false;
  }

  /** Returns `true` if a time equals a time that `setup` wrote, or is whole minutes apart from it. `setup` writes other times on each lane. */
  isOfSetup(ms: number): boolean {
    return this.#setupTimes.some((one) => (ms - one) % 60_000 === 0 && Math.abs(ms - one) <= FURTHEST_MS);
  }

  /** Returns the {@link Generated.key} under which a value occurs in renamed facts. */
  keyOf(text: string): string {
    const { key } = wordOf(text);
    return this.#constants.get(key) ?? key;
  }

  /** `true` if no generated values or times are known, so that states need not be searched. */
  get isIdle(): boolean {
    return !this.#hasPlaces && this.#constants.size === 0 && this.#rootTimes.size === 0 && this.#ofRoot.size === 0;
  }

  /**
   * Gives the values of the root state names that stay the same in all states: the ids in `names`, the values at places known from experiments, and
   * times. Times at known places are named by their distance from the start, and times near the clock share one name. A run on another day therefore
   * has the same root state.
   *
   * @param hidden The times that observations do not show. Default: none.
   * @param nameOf Names the generated values in facts by where they occur. Called if there are texts at known places that have no name in `names`.
   */
  root(
    facts: Facts,
    names: ReadonlyMap<string, string>,
    window: StepWindow,
    hidden?: HiddenTimes,
    nameOf: (marked: Facts) => ReadonlyMap<string, string> = () => new Map(),
  ): void {
    this.#constants = names;
    this.#hidden = hidden;
    this.#rootEndMs = window.endMs;
    this.#rootTimes = new Map();
    const constants = new Map(names);
    this.#isRoot = true;
    this.#rootMoments.clear();
    this.#rootPlaced.clear();
    this.#rootTokens.clear();
    this.#ofRoot.clear();
    this.hasTokensInContext = false;
    this.#begin(NO_ORIGINS, undefined);
    this.#facts(facts);
    this.#isRoot = false;
    const unnamed = this.#fresh.flatMap(({ key, place }) => (constants.has(key) || place.domain !== undefined ? [] : [key]));
    // The integers of a counter may differ each time the root state is made, but their order stays the same.
    for (const [domain, keys] of this.#integers()) keys.forEach((key, at) => constants.set(key, `#${domain.length}:${domain}${at}`));
    for (const key of unnamed) constants.set(key, `=${key.length}:${key}`);
    if (unnamed.length > 0) {
      this.#begin({ ...NO_ORIGINS, ids: new Map(unnamed.map((key) => [key, UNNAMED])) }, undefined);
      for (const [key, name] of nameOf(this.#facts(facts))) if (key.startsWith(KNOWN)) constants.set(key.slice(KNOWN.length), `s${name}`);
    }
    const rootTimes = new Map<number, TimeOrigin>();
    const setupTimes: number[] = [];
    for (const [ms, { isKnown }] of this.#rootMoments) {
      const offset = simplestOffset(ms - window.endMs - 1_002, ms - window.startMs + 1_002);
      // A time that `setup` wrote differs between runs, so it is named by its offset. A time of a template store keeps its value as the name.
      const isSimple = offset % 60_000 === 0 && Math.abs(offset) < FURTHEST_MS;
      const isOwn = isKnown && isSimple;
      const isNear = Math.abs(ms - window.endMs) <= DAY_MS;
      if (isSimple || isNear) setupTimes.push(ms);
      const isFuture = ms > window.endMs + 1_000;
      if (isOwn || isNear) rootTimes.set(ms, { name: isOwn ? `root${offset}` : "root0", step: 0, domain: "", isFuture });
      else if (isKnown) rootTimes.set(ms, { name: `root=${ms}`, step: 0, domain: "", isFuture });
    }
    this.#constants = constants;
    // Parts of tokens look like generated values: their signatures, and ids in their claims.
    const tokens = [...this.#ofRoot.keys()];
    const parts = tokens.flatMap((token) => [token, ...token.split(".").map((part) => idsIn(Buffer.from(part, "base64url").toString()))]);
    this.rootValues = hashOf([...constants].filter(([key]) => !parts.some((part) => part.includes(key))));
    this.rootTokens = hashOf(tokens);
    this.#setupTimes = setupTimes;
    this.#rootTimes = ranked(rootTimes);
    this.#rootFuture = [...this.#rootTimes].filter(([, { isFuture }]) => isFuture).map(([ms]) => ms);
  }

  /** Replaces values and times that also occur in the root state with names that are the same in all states. */
  constant(facts: Facts): Facts {
    if (this.isIdle) return facts;
    this.#begin(NO_ORIGINS, undefined);
    return this.#facts(facts);
  }

  /** @param step The step that led to this state; `undefined` if no new values are expected. */
  observe(facts: Facts, origins: Origins, step: StepOrigin | undefined): { readonly facts: Facts; readonly origins: Origins } {
    if (this.isIdle && origins.ids.size === 0 && origins.times.size === 0) return { facts, origins };
    this.#begin(origins, step);
    this.#passes = true;
    // No time of the root state counts as passed in the root state itself, even if it is observed long after it was made.
    if (origins === NO_ORIGINS) this.#nowMs = Math.min(this.#nowMs, this.#rootEndMs);
    let renamed = this.#facts(facts);
    const hasNew = this.#fresh.length + this.#newTimes.length > 0;
    if (this.#fresh.length > 0) this.#register();
    this.#orderTimes();
    // Two times that are equal by chance have separate keys, with a place or token. If only one of the two times is left, also store it under its
    // plain key, so that copies of the time at other places are found.
    for (const [key, origin] of this.#times) {
      const ms = msOf(key);
      if (typeof key === "string" && !this.#times.has(ms) && !this.#rootTimes.has(ms)) this.#times.set(ms, origin);
    }
    // The first pass may have read copies of a new value before the value was known as generated. A second pass replaces these copies.
    if (hasNew) renamed = this.#facts(facts);
    const passed = this.#hiddenPassed(facts);
    if (passed.length > 0) renamed = { ...renamed, systems: { ...renamed.systems, [PASSED]: { kind: "value", value: passed } } };
    const isSame = sameEntries(this.#ids, origins.ids) && sameEntries(this.#times, origins.times);
    return {
      facts: renamed,
      origins: isSame ? origins : { ...origins, ids: this.#ids, times: this.#times, steps: this.#origins.steps + 1 },
    };
  }

  /** Returns the times in unobserved rows of the root state that have passed since the root state was made. Keeps the origins of the other times. */
  #hiddenPassed(facts: Facts): readonly Time[] {
    // The position of the target's clock is part of the state, so a time that passed because the clock was moved needs no entry.
    const waiting = this.#rootFuture.filter((ms) => ms - this.clock.aheadMs > this.#rootEndMs);
    const hidden = this.#hidden?.in(facts, waiting) ?? [];
    return hidden.flatMap((ms) => {
      const origin = this.#knownTime(ms);
      return origin?.isPassed === true ? [new Time(ms, "", origin)] : [];
    });
  }

  #begin(origins: Origins, step: StepOrigin | undefined): void {
    this.#origins = origins;
    this.#step = step;
    this.#nowMs = this.clock.now();
    // Start empty, so that values that no longer occur in the state are dropped.
    this.#ids = new Map();
    this.#times = new Map();
    this.#known = new Map();
    this.#fresh = [];
    this.#newTimes = [];
    this.#signedTimes.clear();
    this.#passes = false;
    this.realTimeColumns.clear();
  }

  /** Returns the new integers of each counter in ascending order, as keys. */
  #integers(): ReadonlyMap<string, readonly string[]> {
    const keys = new Map<string, Set<string>>();
    for (const { key, text, place } of this.#fresh) {
      if (place.domain === undefined || !INTEGER.test(text)) continue;
      keys.set(place.domain, (keys.get(place.domain) ?? new Set()).add(key));
    }
    const valueOf = (key: string): bigint => BigInt(key.slice(key.lastIndexOf(":") + 1));
    const byValue = (a: string, b: string): number => (valueOf(a) < valueOf(b) ? -1 : 1);
    return new Map([...keys].map(([domain, some]) => [domain, [...some].toSorted(byValue)]));
  }

  #register(): void {
    const fresh = new Map(this.#fresh.map((one) => [one.key, one]));
    const orders = new Map(
      [...this.#integers().values()].flatMap((keys) => (keys.length < 2 ? [] : keys.map((key, at): [string, number] => [key, at]))),
    );
    for (const { key, place } of this.#fresh) if (place.isRandom === true) orders.delete(key);
    // An integer in a request is looked up by its counter, because another counter may have given the same integer.
    const texts = new Set(this.#fresh.map(({ key, text, place }) => (place.domain !== undefined && INTEGER.test(text) ? key : text)));
    const number = this.#origins.steps + 1;
    const positions = this.#positions([...fresh.values()]);
    for (const { key, text, place } of fresh.values()) {
      this.#ids.set(key, {
        ...this.#madeBy(text, texts),
        step: number,
        domain: place.domain ?? place.place,
        source: this.#origins.at,
        order: orders.get(key),
        within: positions.get(key),
      });
    }
    const ids = new Map([...this.#origins.ids, ...this.#ids]);
    this.#origins = { ...this.#origins, ids };
    this.#ids = new Map();
    this.#known = new Map();
    this.#fresh = [];
  }

  /** Returns the positions of new ids that contain the time, by their keys. */
  #positions(
    fresh: readonly { readonly key: string; readonly text: string; readonly place: GeneratedPlace }[],
  ): ReadonlyMap<string, number> {
    const groups = new Map<string, Map<string, string>>();
    for (const { key, text, place } of fresh) {
      if (place.domain !== undefined && INTEGER.test(text)) continue;
      const group = `${place.place} ${place.after}`;
      groups.set(group, (groups.get(group) ?? new Map<string, string>()).set(text, key));
    }
    return new Map(
      [...groups.values()].flatMap((keys) => [...(positionsOfTimed([...keys.keys()]) ?? [])].map(([text, at]) => [keys.get(text)!, at])),
    );
  }

  /**
   * Returns the name of a new value, made from the first request whose answer contains the value. If no answer contains the value, the name is made
   * from all requests of the step.
   */
  #madeBy(text: string, fresh: ReadonlySet<string>): Pick<Origin, "label" | "shape" | "ancestry"> {
    const step = this.#step!;
    const ancestry = new Set<string>();
    let sent = step.action;
    if (!this.#noisy.has(step.action)) {
      const requests = text.length < SHORTEST_WORD ? [] : step.exchanges.filter(({ answer }) => answer.includes(text)).slice(0, 1);
      for (const { method, path, body, acting } of requests.length > 0 ? requests : step.exchanges) {
        const [place = "", query] = path.replace(ENCODED_COLON, ":").split(/(?=\?)/);
        const shape = (part: string, isPath = false): string => this.#shapeOf(part, isPath, fresh, ancestry);
        sent += `\n${shape(acting)}\n${shape(place, true)}${query === undefined ? "" : shape(query)}\n${shape(body)}`;
        sent += `\n${method}`;
      }
    }
    const shape = hashText32(sent).toString(36);
    const sorted = [...ancestry].toSorted();
    return { shape, ancestry: sorted, label: hashText32(`${shape}\n${sorted.join()}`).toString(36) };
  }

  /**
   * Returns a text of a request with generated values replaced by their places, and times by their names. Adds the origins of these values to
   * `ancestry`.
   */
  #shapeOf(text: string, isPath: boolean, fresh: ReadonlySet<string>, ancestry: Set<string>): string {
    const step = this.#step!;
    // A stored time that a request sends back has a name that does not depend on its age.
    const timed = (moment: Moment, text: string): string => {
      const { ms } = moment;
      const origin = this.#times.get(ms) ?? this.#origins.times.get(ms) ?? this.#rootTimes.get(ms);
      if (origin === undefined && isFixed(moment, step, 1_000)) return text;
      return `<${origin?.name ?? `step${offsetFromStep(moment, step, 1_000)}`}>`;
    };
    const known = (word: string, counted = ""): string | undefined => {
      if (fresh.has(word) || fresh.has(counted)) return "<new>";
      const { key } = wordOf(word);
      const constant = this.#constants.get(key) ?? this.#constants.get(counted);
      if (constant !== undefined) return `<${constant}>`;
      const origin = this.#origins.ids.get(key) ?? this.#origins.ids.get(counted);
      if (origin === undefined) return undefined;
      ancestry.add(origin.shape);
      for (const one of origin.ancestry) ancestry.add(one);
      return `<${origin.domain}>`;
    };
    const claim = (name: string, value: unknown): unknown => {
      if (TIME_CLAIMS.has(name)) return "<time>";
      const isText = typeof value === "string";
      return isText || typeof value === "number" ? (known(String(value), this.#counted(String(value), name, true, fresh)) ?? value) : value;
    };
    const signed = replaceSigned(text, (payload) => `${JSON.stringify(payload, claim)}<time>`);
    const plain = replaceJwts(signed, (claims) => JSON.stringify(claims, claim))
      .replace(ISO_TIME, (time) => {
        const moment = momentOf(time);
        return moment === undefined ? time : timed(moment, time);
      })
      // Replace a signed cookie as a whole, because it is one value although it consists of several words.
      .replace(SEVERAL_WORDS, (whole) => known(whole) ?? whole);
    const whole = plain.includes(":") ? momentOf(plain) : undefined;
    if (whole !== undefined) return timed(whole, plain);
    const parts = splitAtWords(plain, (word, after) => {
      const name = known(word, this.#counted(word, after, isPath || /id$/i.test(after), fresh));
      if (name !== undefined) return name;
      const moment = INTEGER.test(word) ? momentOf(Number(word)) : word.includes(":") ? momentOf(word) : undefined;
      return moment && timed(moment, word);
    });
    return parts === undefined ? plain : parts.map(({ text: part, found }) => found ?? part).join("");
  }

  /**
   * Returns the key of a generated integer in a request; `undefined` if the word is no such integer. Counters of several tables may have given the same
   * integer by chance, so the table must be named before the word (`/orders/17`, `order_id`). If the word is an id (`isId`) and no table is named, the
   * counter is one whose values clients hold.
   */
  #counted(word: string, before: string, isId: boolean, fresh: ReadonlySet<string>): string | undefined {
    if (!INTEGER.test(word)) return undefined;
    const isKnown = (key: string): boolean => this.#origins.ids.has(key) || this.#constants.has(key) || fresh.has(key);
    const named = before.toLowerCase();
    const all = this.#counters.filter(({ domain }) => isKnown(`${domain}:${word}`));
    const ofTable = all.find(({ table }) => table !== undefined && named.includes(table));
    // A plural noun before the number, such as `products`, names another table, so the number is not taken for an id that clients hold.
    const counter = ofTable ?? (isId && !named.endsWith("s") ? all.find(({ isHeld }) => isHeld) : undefined);
    return counter && `${counter.domain}:${word}`;
  }

  #facts(facts: Facts): Facts {
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

  #table(table: ObservedTable, node: Node | undefined): ObservedTable {
    const row = (cells: readonly StoredValue[]): readonly StoredValue[] =>
      cells.map((cell, index) =>
        // Fast path: most cells are numbers or booleans without a known place.
        node === undefined && typeof cell !== "string" && typeof cell !== "object"
          ? (this.#value(cell, undefined) as StoredValue)
          : (this.#value(cell, node?.inner.get(columnPlace(table.columns, index, cells))) as StoredValue),
      );
    // A changed row of the root state is in both `added` and `removed`.
    const keys = this.#rootPlaced.size === 0 ? [] : table.columns.flatMap(({ key }, index) => (key === true ? [index] : []));
    const keyOf = (cells: readonly StoredValue[]): string => keys.map((index) => String(cells[index])).join("\n");
    const before = keys.length === 0 ? undefined : new Set(table.removed.map(keyOf));
    const added = table.added.map((cells) => {
      this.#isNewRow = before?.has(keyOf(cells)) === false;
      return row(cells);
    });
    this.#isNewRow = false;
    this.#isRemoved = true;
    const removed = this.#constants.size + this.#rootTimes.size + this.#ofRoot.size === 0 ? table.removed : table.removed.map(row);
    this.#isRemoved = false;
    return { ...table, added, removed };
  }

  #value(value: unknown, node: Node | undefined): unknown {
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

  #number(value: number | bigint, node: Node | undefined): unknown {
    if (node?.time !== undefined) return this.#time(value, node.time) ?? value;
    if (node?.whole?.domain !== undefined)
      return this.#id(`${node.whole.domain}:${String(value)}`, "i", String(value), node.whole) ?? value;
    if (value >= 1e9) {
      const moment = momentOf(value);
      if (this.#isRoot && moment !== undefined) this.#meetRootTime(moment, false);
      const origin = moment === undefined ? undefined : this.#knownTime(moment.ms);
      if (origin !== undefined) return this.#shown(moment!, origin);
    }
    return value;
  }

  #text(text: string, node: Node | undefined): unknown {
    if (this.#isRoot && this.#part !== "stores") this.#meetRootTokens(text);
    if (node?.time !== undefined) return this.#time(text, node.time) ?? text;
    // Generated values in JSON have places of their own inside the JSON, so a JSON text is never one generated value.
    if (node?.whole !== undefined && parsedJson(text) === undefined) {
      const { domain } = node.whole;
      const word = domain === undefined ? wordOf(text) : { key: `${domain}:${text}`, form: "s" };
      return this.#id(word.key, word.form, text, node.whole) ?? text;
    }
    const json = node?.inner.get(JSON_TEXT);
    if (json !== undefined) {
      const parsed = parsedJson(text);
      if (parsed !== undefined) return new JsonText(this.#value(parsed, json));
    }
    const jwt = node?.inner.get(JWT_TEXT);
    if (jwt !== undefined) {
      // Look the token up among known values first: if a store holds the same token, both copies get the same name.
      const stored = this.#knownWord(wordOf(text));
      const parsed = stored === undefined ? parsedJwt(text) : undefined;
      if (stored !== undefined || parsed !== undefined) return stored ?? this.#signed(text, parsed, jwt);
    }
    const signed = node?.inner.get(SIGNED_TEXT);
    const content = signed === undefined ? undefined : parsedSigned(text);
    return content === undefined ? this.#loose(text, node) : this.#signed(text, content, signed);
  }

  #meetRootTokens(text: string): void {
    const tokens = signedTokens(text);
    for (const { token, content } of tokens) this.#ofRoot.set(token, `token ${content}`);
    this.hasTokensInContext ||= this.#part === "context" && tokens.length > 0;
  }

  #signed(text: string, content: unknown, node: Node | undefined): JsonText {
    const outer = this.#token;
    this.#token = text.replace(/^Bearer /, "");
    const named = new JsonText(this.#value(content, node));
    this.#token = outer;
    return named;
  }

  /** Replaces known generated values inside a text, for places where experiments did not show the text itself to be generated. */
  #loose(text: string, node: Node | undefined): unknown {
    if (this.#isRoot) {
      const moment = momentOf(text);
      if (moment !== undefined) this.#meetRootTime(moment, false);
    }
    const hasWords = node !== undefined && (node.words.size > 0 || node.timeWords.size > 0);
    const hasTimes = this.#origins.times.size + this.#times.size + this.#rootTimes.size > 0;
    const hasTokens = this.#ofRoot.size > 0;
    if (!hasWords && this.#constants.size === 0 && this.#origins.ids.size === 0 && !hasTimes && !hasTokens) return text;
    const whole = this.#knownWord(wordOf(text)) ?? this.#tokenOfRoot(text);
    if (whole !== undefined) return whole;
    const moment = hasTimes ? momentOf(text) : undefined;
    const time = moment === undefined ? undefined : this.#knownTime(moment.ms);
    if (time !== undefined) return this.#shown(moment!, time);
    const parts = splitAtWords(text, (word, after) => this.#wordIn(word, after, node));
    if (parts === undefined) return text;
    return new Mixed(parts.map((part) => part.found ?? part.text));
  }

  #wordIn(word: string, after: string, node: Node | undefined): Generated | Time | undefined {
    const time = node?.timeWords.get(after);
    if (time !== undefined) return this.#time(word, time);
    const place = node?.words.get(after);
    if (place !== undefined) {
      const { key, form } = place.domain === undefined ? wordOf(word) : { key: `${place.domain}:${word}`, form: "s" };
      return this.#id(key, form, word, place);
    }
    return word.length < SHORTEST_WORD ? undefined : (this.#knownWord(wordOf(word)) ?? this.#tokenOfRoot(word));
  }

  #tokenOfRoot(text: string): Generated | undefined {
    const name = this.#ofRoot.get(text);
    return name === undefined ? undefined : new Generated(name, "t", undefined);
  }

  #object(value: object, node: Node | undefined): unknown {
    if (Array.isArray(value)) {
      const inner = node?.inner.get(INDEX);
      let copy: unknown[] | undefined;
      for (let i = 0; i < value.length; i++) {
        const renamed = this.#value(value[i], inner);
        if (copy === undefined && renamed !== value[i]) copy = value.slice(0, i);
        copy?.push(renamed);
      }
      return copy ?? value;
    }
    if (value instanceof Uint8Array) {
      const word = wordOfBytes(value);
      if (node?.whole !== undefined) return this.#id(word.key, word.form, word.key, node.whole) ?? value;
      return this.#knownWord(word) ?? value;
    }
    if (types.isDate(value)) {
      if (node?.time !== undefined) return this.#time(value, node.time) ?? value;
      if (this.#isRoot) this.#meetRootTime({ ms: value.getTime(), form: "object" }, false);
      const origin = this.#knownTime(value.getTime());
      return origin === undefined ? value : this.#shown({ ms: value.getTime(), form: "object" }, origin);
    }
    if (types.isMap(value)) return new Map([...value].map(([key, item]) => this.#entry(key, item, node)));
    if (types.isSet(value)) return new Set([...value].map((item) => this.#value(item, node?.inner.get(INDEX))));
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) return value;
    const before = Object.entries(value);
    const entries = before.map(([key, item]) => this.#entry(key, item, node));
    if (entries.every(([key, item], index) => key === before[index]![0] && item === before[index]![1])) return value;
    // An object with a renamed key becomes a Map, because a renamed key is not a string.
    return entries.every(([key]) => typeof key === "string") ? Object.fromEntries(entries as [string, unknown][]) : new Map(entries);
  }

  #entry(key: unknown, item: unknown, node: Node | undefined): [unknown, unknown] {
    const renamed = typeof key === "string" ? this.#text(key, node?.inner.get(KEY)) : key;
    const inner = typeof renamed === "string" ? (node?.inner.get(renamed) ?? node?.inner.get("*")) : node?.inner.get("*");
    return [renamed, this.#value(item, inner)];
  }

  #knownWord({ key, form }: Word): Generated | undefined {
    const constant = this.#constants.get(key);
    if (constant !== undefined) return new Generated(constant, form, undefined);
    return this.#generated(key, form);
  }

  #generated(key: string, form: string): Generated | undefined {
    const origin = this.#origins.ids.get(key);
    if (origin === undefined) return undefined;
    this.#ids.set(key, origin);
    const id = `${form}${key}`;
    let known = this.#known.get(id);
    if (known === undefined) this.#known.set(id, (known = new Generated(key, form, origin)));
    return known;
  }

  /**
   * Returns the replacement for the value at a place where experiments showed generated values. Returns `undefined` in the first pass for a new
   * value, which gets its name only after that pass.
   */
  #id(key: string, form: string, text: string, place: GeneratedPlace): Generated | undefined {
    const constant = this.#constants.get(key);
    if (constant !== undefined) return new Generated(constant, form, undefined);
    const known = this.#generated(key, form);
    if (known !== undefined || this.#literals.has(key) || isPlain(text, place)) return known;
    if (this.#step !== undefined || this.#isRoot) this.#fresh.push({ key, text, place });
    return undefined;
  }

  #time(value: unknown, place: TimePlace): Time | undefined {
    const moment = momentOf(value);
    if (moment === undefined) return undefined;
    if (this.#isRealTime(moment, place)) this.realTimeColumns.add(fieldOf(place.place));
    const origin = this.#tokenTime(moment, place) ?? this.#timeAt(moment, place) ?? this.#newTime(moment, place, moment.ms);
    return origin === undefined ? undefined : this.#shown(moment, origin);
  }

  /**
   * Names a time. If the target's clock was moved after the time was written, the name also says how far the clock was moved, because a time that is
   * due in ten days differs from a time that is due now.
   */
  #shown({ ms, form }: Moment, origin: TimeOrigin): Time {
    const movedMs = this.clock.aheadMs - (origin.aheadMs ?? 0);
    return new Time(ms, form, movedMs === 0 ? origin : { ...origin, name: `${origin.name}~${movedMs}` });
  }

  /**
   * Returns `true` if the step wrote the real time into a column, and the target's clock is so far ahead that the target cannot have written this
   * time.
   */
  #isRealTime({ ms }: Moment, { place, resolutionMs }: TimePlace): boolean {
    const step = this.#step;
    const { aheadMs } = this.clock;
    if (step === undefined || aheadMs < LEAST_AHEAD_MS || tableOf(place) === undefined) return false;
    // The step did not write a time that the state contained before, or it wrote a copy.
    if (this.#origins.times.has(ms) || this.#rootMoments.has(ms)) return false;
    const slack = resolutionMs + STORE_CLOCK_MS;
    return ms >= step.startMs - aheadMs - slack && ms <= step.endMs - aheadMs + slack && resolutionMs <= 1_000;
  }

  /**
   * Returns the origin of a time in a signed token that says when the token was made or is valid. `undefined` if the time is named like times outside
   * of tokens. Tokens with different signatures are different, even if their times are equal because they were signed in one second.
   */
  #tokenTime(moment: Moment, place: TimePlace): TimeOrigin | undefined {
    if (this.#token === undefined || !OF_TOKEN.test(place.place)) return undefined;
    const key = timeKeyAt(moment.ms, hashText32(this.#token).toString(36));
    if (this.#isRoot) this.#rootTokens.add(key);
    if (this.#step === undefined || this.#signedTimes.has(key)) return this.#knownTime(key);
    const before = this.#origins.times.get(key);
    if (before !== undefined && !this.#isSignedAgain(before)) return this.#knownTime(key);
    const { offsets = [], base, resolutionMs } = place;
    if (before === undefined) {
      if (this.#rootTokens.has(key) || base === "stored") return undefined;
      // A time that the token copied from elsewhere keeps the origin of that time.
      const isOwn = offsets.length === 0 || fittingOffset(offsets, moment, this.#step, resolutionMs) !== undefined;
      if (!isOwn && this.#knownTime(moment.ms) !== undefined) return undefined;
    }
    this.#signedTimes.add(key);
    return this.#newTime(moment, place, key);
  }

  /**
   * Returns `true` if this step signed a known token again, with the same content in the same second. The names of the token's times must not depend
   * on this coincidence. Only the action that signed the token first counts, because another action may only return the token.
   */
  #isSignedAgain({ source }: TimeOrigin): boolean {
    const { action, exchanges } = this.#step!;
    if (source === undefined || source.slice(0, source.lastIndexOf("@")) !== action) return false;
    return exchanges.some(({ answer, answerHeaders = "" }) => answer.includes(this.#token!) || answerHeaders.includes(this.#token!));
  }

  /** Returns the origin of a time at a place where experiments showed times; `undefined` if no equal time with an origin is known. */
  #timeAt(moment: Moment, place: TimePlace): TimeOrigin | undefined {
    const { ms } = moment;
    const own = timeKeyAt(ms, place.place);
    if (this.#isNewRow && place.resolutionMs >= 1_000 && this.#rootPlaced.has(own)) return this.#timeInNewRow(moment, place);
    const here = this.#knownTime(own);
    if (here !== undefined) return here;
    const known = this.#knownTime(ms);
    if (known === undefined || known.domain === place.place || place.base === "stored" || this.#step === undefined) return known;
    if (this.#rootPlaced.has(own)) return known;
    // A later step may have written an equal time by chance, especially in whole seconds. If the offset of the time fits this step, this step wrote
    // the time.
    const offsets = place.offsets ?? [];
    const offset = fittingOffset(offsets, moment, this.#step, place.resolutionMs);
    if (offset !== undefined && `step${offset}` !== known.name) return this.#newTime(moment, place, own);
    // A copy of an earlier time keeps the origin of that time, even if its offset from this step happens to fit.
    if (offsets.some((one) => `step${one}` !== known.name)) this.#times.set(own, known);
    return known;
  }

  /** Returns the origin of a time of the root state in a row that a step added. In whole seconds, the step may have written an equal time. */
  #timeInNewRow(moment: Moment, place: TimePlace): TimeOrigin | undefined {
    const key = timeKeyAt(moment.ms, `${place.place}+`);
    const here = this.#knownTime(key);
    if (here !== undefined) return here;
    const { offsets = [], resolutionMs } = place;
    if (this.#step !== undefined && fittingOffset(offsets, moment, this.#step, resolutionMs) !== undefined)
      return this.#newTime(moment, place, key);
    const known = this.#knownTime(moment.ms);
    if (known !== undefined) this.#times.set(key, known);
    return known;
  }

  #knownTime(key: TimeKey): TimeOrigin | undefined {
    const removed = this.#isRemoved && typeof key === "number" ? this.#rootTimes.get(key) : undefined;
    if (removed !== undefined) return removed;
    const known = this.#signedTimes.has(key) ? undefined : this.#origins.times.get(key);
    // A time that this step wrote never counts as passed. Otherwise, the delay until the state is read would make a difference.
    if (known === undefined) return this.#times.get(key) ?? (typeof key === "number" ? this.#rootTime(key) : undefined);
    // If a time of an earlier step has passed, the state is a different one, although nothing was written.
    const now: TimeOrigin =
      known.isFuture && msOf(key) - (known.zoneMs ?? 0) <= this.#nowMs ? { ...known, isFuture: false, isPassed: true } : known;
    this.#times.set(key, now);
    return now;
  }

  /** Returns the origin of a time of the root state. A time that was in the future is recorded like a time that a step wrote, because it can pass. */
  #rootTime(ms: number): TimeOrigin | undefined {
    const known = this.#rootTimes.get(ms);
    if (known?.isFuture !== true || !this.#passes) return known;
    const now: TimeOrigin = ms <= this.#nowMs ? { ...known, isFuture: false, isPassed: true } : known;
    this.#times.set(ms, now);
    return now;
  }

  #newTime(moment: Moment, place: TimePlace, key: TimeKey): TimeOrigin | undefined {
    const { ms } = moment;
    if (this.#isRoot) {
      this.#meetRootTime(moment, true);
      this.#rootPlaced.add(timeKeyAt(ms, place.place));
    }
    const step = this.#step;
    if (step === undefined) return undefined;
    const learnt = fittingOffset(place.offsets ?? [], moment, step, place.resolutionMs);
    const own = learnt ?? offsetFromStep(moment, step, place.resolutionMs);
    // An offset that experiments showed is more likely than a distance from a stored time, which may be simple by chance. Without a known offset, a
    // distance counts if experiments showed distances from stored times at this place, or if the distance is simpler than the offset.
    const isLikely = (apart: number): boolean => place.base === "stored" || unitOf(apart) < unitOf(own);
    const isConstant = learnt === undefined && place.constants?.includes(ms) === true;
    const from = learnt === undefined && !isConstant ? this.#storedBase(ms, isLikely) : undefined;
    // A constant or fixed time gets no origin, because its distance from the step only shows when the step ran.
    if (isConstant || (learnt === undefined && from === undefined && isFixed(moment, step, place.resolutionMs))) return undefined;
    const zoneMs = zoneOf(moment, step);
    const origin = {
      name: from?.name ?? `step${own}`,
      step: from?.step ?? this.#origins.steps + 1,
      domain: place.place,
      isFuture: ms - zoneMs > step.endMs + place.resolutionMs,
      zoneMs: zoneMs || undefined,
      source: isInToken(place.place) ? `${step.action}@${this.#origins.atStores ?? ""}` : undefined,
      aheadMs: (from === undefined ? this.clock.aheadMs : from.aheadMs) || undefined,
    };
    this.#times.set(key, origin);
    this.#newTimes.push({ key, ms });
    return origin;
  }

  /** Sets the positions (`within`) of different times that a step wrote at one place, for example in several rows. */
  #orderTimes(): void {
    const groups = new Map<string, { readonly key: TimeKey; readonly ms: number }[]>();
    for (const one of this.#newTimes) {
      const { domain, name } = this.#times.get(one.key)!;
      const group = `${name} ${domain}`;
      groups.set(group, [...(groups.get(group) ?? []), one]);
    }
    for (const some of groups.values()) {
      const sorted = some.toSorted((a, b) => a.ms - b.ms);
      let within = 0;
      const positions = sorted.map(({ ms }, index) => (index > 0 && ms - sorted[index - 1]!.ms >= LEAST_APART_MS ? ++within : within));
      if (within > 0)
        for (const [index, { key }] of sorted.entries()) this.#times.set(key, { ...this.#times.get(key)!, within: positions[index] });
    }
  }

  #meetRootTime({ ms }: Moment, isKnown: boolean): void {
    const known = this.#rootMoments.get(ms);
    if (known === undefined) this.#rootMoments.set(ms, { isKnown });
    else known.isKnown ||= isKnown;
  }

  /**
   * Names a time by its distance from another time in the state. The likely distance that is the simplest number of whole seconds is chosen. Returns
   * the name, and the step of the other time; `undefined` if no distance is likely.
   */
  #storedBase(ms: number, isLikely: (apart: number) => boolean): Pick<TimeOrigin, "name" | "step" | "aheadMs"> | undefined {
    let best: Pick<TimeOrigin, "name" | "step" | "aheadMs"> | undefined;
    let least = Infinity;
    for (const [other, { name, step, aheadMs }] of [...this.#origins.times, ...this.#rootTimes]) {
      const apart = ms - msOf(other);
      if (apart === 0 || apart % 1_000 !== 0 || !isLikely(apart)) continue;
      const weight = simplicity(apart);
      if (weight < least) [least, best] = [weight, { name: `${name}+${apart}`, step, aheadMs }];
    }
    return best;
  }

  #nodeAt(place: string): Node {
    let node = this.#tree;
    for (const segment of JSON.parse(place) as readonly string[]) {
      let inner = node.inner.get(segment);
      if (inner === undefined) node.inner.set(segment, (inner = newNode()));
      node = inner;
    }
    return node;
  }
}

const DAY_MS = 86_400_000;
/** The name of an artificial store with the passed times of the root state that no observed row shows. No real store has this name. */
const PASSED = "passed times";
/** The smallest distance between the target's clock and the real time at which times of both clocks can be distinguished. */
const LEAST_AHEAD_MS = 3_600_000;
/** The largest difference between the clocks of a store and of seqqa. */
const STORE_CLOCK_MS = 2_000;
/** The distance from which two times of one step count as different. Smaller distances occur by chance. */
const LEAST_APART_MS = 2;
/** The origin of values of the root state that have no name yet. */
const UNNAMED: Origin = { label: "", shape: "", step: 0, domain: "", ancestry: [], source: "" };
const REAL_TIME = { now: (): number => Date.now(), aheadMs: 0 };
const ISO_TIME = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?/g;
const ENCODED_COLON = /%3a/gi;
/** The claims of a JWT that are times (RFC 7519, 4.1; OpenID Connect Core, 2). */
const TIME_CLAIMS: ReadonlySet<string> = new Set(["iat", "exp", "nbf", "auth_time", "updated_at"]);
/** Matches a value in headers, URLs or JSON that contains punctuation which tokens contain, too (`.`, `%`, `~`, `|`). */
const SEVERAL_WORDS = /(?<![^\s;,"'/?&=:{}()[\]<>.%~|])[^\s;,"'/?&=:{}()[\]<>.%~|]+(?:[.%~|][^\s;,"'/?&=:{}()[\]<>.%~|]*)+={0,2}/g;
/** Matches the places of times that are made together with a token. Other times, such as `auth_time`, may be copies from an earlier token. */
const OF_TOKEN = /"\{(?:jwt\}","claims","(?:iat|exp|nbf)|signed\}","time)"\]$/;
const INTEGER = /^-?\d+$/;
/** The length from which a word in a text is looked up among generated values. Shorter words are equal by chance. */
const SHORTEST_WORD = 4;

/** Returns a text in which UUIDs have the form of their keys; see {@link wordOf}. */
function idsIn(text: string): string {
  return text.replaceAll("-", "").toLowerCase();
}

function hashOf(value: unknown): string {
  const hash = { lo: 0, hi: 0 };
  hashText(JSON.stringify(value), hash);
  return hashName(hash);
}

function newNode(): Node {
  return { whole: undefined, words: new Map(), time: undefined, timeWords: new Map(), inner: new Map() };
}

/** Numbers the times that have the same name, from the earliest on. */
function ranked(times: ReadonlyMap<number, TimeOrigin>): ReadonlyMap<number, TimeOrigin> {
  const named = new Map<string, number[]>();
  for (const [ms, { name }] of times) named.set(name, [...(named.get(name) ?? []), ms]);
  const all = new Map(times);
  for (const same of named.values()) {
    if (same.length < 2) continue;
    for (const [rank, ms] of same.toSorted((a, b) => a - b).entries()) all.set(ms, { ...times.get(ms)!, domain: ROOT_TIMES, rank });
  }
  return all;
}

/** Returns the index of the largest unit of which a duration is a multiple: days, hours, minutes, seconds, or a smaller one. */
function unitOf(ms: number): number {
  const unit = [86_400_000, 3_600_000, 60_000, 1_000].findIndex((grain) => ms % grain === 0);
  return unit === -1 ? 4 : unit;
}

/** Returns a weight of a duration that is smaller for simpler durations: whole days before hours, minutes and seconds. */
function simplicity(ms: number): number {
  return unitOf(ms) * 1e9 + Math.abs(ms) / 1_000;
}

function sameEntries<K, V>(a: ReadonlyMap<K, V>, b: ReadonlyMap<K, V>): boolean {
  if (a.size !== b.size) return false;
  for (const [key, value] of a) if (b.get(key) !== value) return false;
  return true;
}
