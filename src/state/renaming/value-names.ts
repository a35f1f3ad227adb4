import { isPlain, type GeneratedPlace } from "../compare/knowledge.ts";
import { positionsOfTimed } from "../values/ids.ts";
import { Generated, KNOWN } from "../values/named.ts";
import { NO_ORIGINS, type Origin, type Origins } from "../values/origins.ts";
import { readsLikeWords } from "../values/randomness.ts";
import { wordOf, type Word } from "../values/words.ts";
import { INTEGER, type RequestShapes } from "./request-shapes.ts";
import type { StepOrigin } from "./step-origin.ts";
import type { Reading } from "./time-names.ts";

/** The origin of values of the root state that have no name yet. */
const UNNAMED: Origin = { label: "", shape: "", step: 0, domain: "", ancestry: [], source: "" };

/** A value that the step generated, or a value of the root state, before it has a name. */
interface FreshValue {
  readonly key: string;
  readonly text: string;
  readonly place: GeneratedPlace;
}

/**
 * Names the generated values (texts and integers of counters) in the state that is being read. New values are first collected; {@link nameNew} then
 * names them by the requests that generated them.
 */
export class ValueNames {
  readonly #shapes: RequestShapes;
  /** The keys of values that the user's code contains. Such values are never generated. */
  readonly #literals: ReadonlySet<string>;
  #constants: ReadonlyMap<string, string> = new Map();
  #isRoot = false;
  #before: Origins = NO_ORIGINS;
  #step: StepOrigin | undefined;
  #found: Map<string, Origin> = new Map();
  /** The replacements that were made, so that equal values share one. */
  #replacements: Map<string, Generated> = new Map();
  #fresh: FreshValue[] = [];
  /** `true` while a key or field name is read that determines the kind of its row. */
  isOfKind = false;

  constructor(shapes: RequestShapes, literals: ReadonlySet<string>) {
    this.#shapes = shapes;
    this.#literals = new Set([...literals].map((text) => wordOf(text).key));
  }

  /** Begins to read a state. @param before The origins of the state before the step. @param step `undefined` if no new values are expected. */
  begin(reading: Reading, before: Origins, step: StepOrigin | undefined): void {
    this.#isRoot = reading === "root";
    this.#before = before;
    this.#step = step;
    // Start empty, so that values that no longer occur in the state are dropped.
    this.#found = new Map();
    this.#replacements = new Map();
    this.#fresh = [];
  }

  /** The generated values of the root state, with names that are the same in all states. */
  get constants(): ReadonlyMap<string, string> {
    return this.#constants;
  }

  /** Sets the names of the values of the root state that have a name before the root state is read. */
  fix(names: ReadonlyMap<string, string>): void {
    this.#constants = names;
  }

  /** The values of earlier steps that were found in the state; after {@link nameNew} and another reading, also the new values. */
  get found(): ReadonlyMap<string, Origin> {
    return this.#found;
  }

  get hasNew(): boolean {
    return this.#fresh.length > 0;
  }

  /** `true` if values have names. */
  get hasNames(): boolean {
    return this.#constants.size + this.#before.ids.size > 0;
  }

  known({ key, form }: Word): Generated | undefined {
    const constant = this.#constants.get(key);
    if (constant !== undefined) return new Generated(constant, form, undefined);
    return this.#generated(key, form);
  }

  /**
   * Returns the replacement for the value at a place where experiments showed generated values. A new value gets its name after the first pass. Until
   * then, its replacement has no origin, so that the rest of its text is read in the same way in both passes.
   */
  at(key: string, form: string, text: string, place: GeneratedPlace): Generated | undefined {
    const constant = this.#constants.get(key);
    if (constant !== undefined) return new Generated(constant, form, undefined);
    const known = this.#generated(key, form);
    if (known !== undefined || !this.mayBeGenerated(text, place, key)) return known;
    if (this.#step === undefined && !this.#isRoot) return undefined;
    this.#fresh.push({ key, text, place });
    return new Generated(key, form, undefined);
  }

  /**
   * Returns `false` for a text that was not generated although its place contains generated values: a text in the user's code, a text much shorter
   * than the generated ones, or the fixed part of a key. Fixed and generated keys often have the same beginning, such as `user:permissions` and
   * `user:<id>`.
   */
  mayBeGenerated(text: string, place: GeneratedPlace, key: string = wordOf(text).key): boolean {
    const isFixed = this.isOfKind && place.isLetters !== true && readsLikeWords(text);
    return !isFixed && !this.#literals.has(key) && !isPlain(text, place);
  }

  #generated(key: string, form: string): Generated | undefined {
    const origin = this.#before.ids.get(key);
    if (origin === undefined) return undefined;
    this.#found.set(key, origin);
    const id = `${form}${key}`;
    let known = this.#replacements.get(id);
    if (known === undefined) this.#replacements.set(id, (known = new Generated(key, form, origin)));
    return known;
  }

  /**
   * Names the values of the root state that were read and that {@link fix} did not name.
   *
   * @param nameMarked Reads the root state again with the given origins, and returns names for the values that have these origins. Called if there
   * are texts without a name.
   */
  nameRoot(nameMarked: (marked: Origins) => ReadonlyMap<string, string>): void {
    const constants = new Map(this.#constants);
    const unnamed = this.#fresh.flatMap(({ key, place }) => (constants.has(key) || place.domain !== undefined ? [] : [key]));
    // The integers of a counter may differ each time the root state is made, but their order stays the same.
    for (const [domain, keys] of this.#integers()) keys.forEach((key, at) => constants.set(key, `#${domain.length}:${domain}${at}`));
    for (const key of unnamed) constants.set(key, `=${key.length}:${key}`);
    if (unnamed.length > 0) {
      const marked = nameMarked({ ...NO_ORIGINS, ids: new Map(unnamed.map((key) => [key, UNNAMED])) });
      for (const [key, name] of marked) if (key.startsWith(KNOWN)) constants.set(key.slice(KNOWN.length), `s${name}`);
    }
    this.#constants = constants;
  }

  /** Names the values that the step generated. The state must then be read again. */
  nameNew(): void {
    const fresh = new Map(this.#fresh.map((one) => [one.key, one]));
    const orders = new Map(
      [...this.#integers().values()].flatMap((keys) => (keys.length < 2 ? [] : keys.map((key, at): [string, number] => [key, at]))),
    );
    for (const { key, place } of this.#fresh) if (place.isRandom === true) orders.delete(key);
    const { at, ids, steps } = this.#before;
    const values = {
      step: this.#step!,
      constants: this.#constants,
      ids,
      // An integer in a request is looked up by its counter, because another counter may have given the same integer.
      fresh: new Set(this.#fresh.map((one) => (isCounted(one) ? one.key : one.text))),
    };
    const positions = positionsOf([...fresh.values()]);
    for (const { key, text, place } of fresh.values()) {
      this.#found.set(key, {
        ...this.#shapes.nameOf(text, values),
        step: steps + 1,
        domain: place.domain ?? place.place,
        source: at,
        order: orders.get(key),
        within: positions.get(key),
      });
    }
    this.#before = { ...this.#before, ids: new Map([...ids, ...this.#found]) };
    this.#found = new Map();
    this.#replacements = new Map();
    this.#fresh = [];
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
}

function isCounted({ text, place }: FreshValue): boolean {
  return place.domain !== undefined && INTEGER.test(text);
}

/** Returns the positions of new ids that contain the time, by their keys. */
function positionsOf(fresh: readonly FreshValue[]): ReadonlyMap<string, number> {
  const groups = new Map<string, Map<string, string>>();
  for (const one of fresh) {
    if (isCounted(one)) continue;
    const group = `${one.place.place} ${one.place.after}`;
    groups.set(group, (groups.get(group) ?? new Map<string, string>()).set(one.text, one.key));
  }
  return new Map(
    [...groups.values()].flatMap((keys) => [...(positionsOfTimed([...keys.keys()]) ?? [])].map(([text, at]) => [keys.get(text)!, at])),
  );
}
