import type { Facts } from "../canonical/facts.ts";
import type { Knowledge } from "../compare/knowledge.ts";
import { hashName, hashText } from "../hash/hasher.ts";
import { NO_ORIGINS, type Origins } from "../values/origins.ts";
import { isInToken } from "../values/places.ts";
import type { StepWindow } from "../values/times.ts";
import { wordOf } from "../values/words.ts";
import { FactsWalk } from "./facts-walk.ts";
import type { HiddenTimes } from "./hidden-times.ts";
import { placeTree } from "./place-tree.ts";
import { RequestShapes } from "./request-shapes.ts";
import { RootTimes } from "./root-times.ts";
import { RootTokens } from "./root-tokens.ts";
import type { StepOrigin } from "./step-origin.ts";
import { TimeNames, type Reading, type TargetClock } from "./time-names.ts";
import { ValueNames } from "./value-names.ts";

/** The name of an artificial store with the passed times of the root state that no observed row shows. No real store has this name. */
const PASSED = "passed times";
const REAL_TIME: TargetClock = { now: () => Date.now(), aheadMs: 0 };

/**
 * Replaces values that experiments showed to be generated values or times with {@link Generated} and {@link Time}. All other values are kept, even if
 * they look generated. Each lane has one instance.
 */
export class Renamer {
  readonly #rootTimes = new RootTimes();
  readonly #rootTokens = new RootTokens();
  readonly #times = new TimeNames(this.#rootTimes);
  readonly #values: ValueNames;
  readonly #walk: FactsWalk;
  readonly #hasPlaces: boolean;
  /**
   * `true` if generated values, or times in signed tokens, are known. Each state then needs a name, which becomes the {@link Origin.source} of the
   * values that its steps generate.
   */
  readonly namesSources: boolean;
  /** `true` if times in signed tokens are known. */
  readonly namesTokens: boolean;
  /** `true` if places of times are known. */
  readonly knowsTimes: boolean;
  /**
   * A hash of the generated values of the root state, and of its values that are left out of states. If lanes have equal root states but different
   * hashes, their targets generated different values. A state that is copied between such lanes would contain values without a name, or changes of rows
   * that do not exist.
   */
  rootValues: string = "";
  /**
   * A hash of the values in the root state's stores that have names, including times. If lanes differ in it, a state that is copied between them may
   * contain changes of rows that do not exist.
   */
  rootStores: string = "";
  /** A hash of the signed tokens that clients and the context have in the root state. */
  rootTokens: string = "";
  /** The target's clock. */
  clock: TargetClock = REAL_TIME;
  #hidden: HiddenTimes | undefined;

  constructor(knowledge: Knowledge, literals: ReadonlySet<string>) {
    this.#values = new ValueNames(new RequestShapes(knowledge, this.#times), literals);
    this.#walk = new FactsWalk(placeTree(knowledge), {
      values: this.#values,
      times: this.#times,
      rootTimes: this.#rootTimes,
      rootTokens: this.#rootTokens,
    });
    this.knowsTimes = knowledge.times.length > 0;
    this.namesTokens = knowledge.times.some(({ place }) => isInToken(place));
    this.namesSources = knowledge.generated.length > 0 || this.namesTokens;
    this.#hasPlaces = knowledge.generated.length + knowledge.times.length > 0;
  }

  /** `true` if the context of the root state contains a signed token. */
  get hasTokensInContext(): boolean {
    return this.#rootTokens.isInContext;
  }

  /** The columns that the observed step filled with the real time, although the target's clock is far ahead. */
  get realTimeColumns(): ReadonlySet<string> {
    return this.#times.realTimeColumns;
  }

  /** Returns `true` if a time of the root state lies in the second that begins at `secondMs`, in milliseconds since 1970. */
  hasRootTimeIn(secondMs: number): boolean {
    return this.#rootTimes.hasIn(secondMs);
  }

  /**
   * Returns `true` if a time equals a time that `setup` wrote, or was probably calculated from one (the two differ by whole minutes). Each lane runs
   * `setup` at a different time, so these times differ between lanes.
   */
  isOfSetup(ms: number): boolean {
    return this.#rootTimes.isOfSetup(ms);
  }

  /** Returns the {@link Generated.key} under which a value occurs in renamed facts. */
  keyOf(text: string): string {
    const { key } = wordOf(text);
    return this.#values.constants.get(key) ?? key;
  }

  /** `true` if no generated values or times are known, so that states need not be searched. */
  get isIdle(): boolean {
    return !this.#hasPlaces && this.#values.constants.size === 0 && this.#rootTimes.named.size === 0 && this.#rootTokens.size === 0;
  }

  /**
   * Gives values of the root state names that stay the same in all states: the ids in `names`, the values at places known from experiments, and
   * times. A time at a known place is named by its distance from the creation of the root state, and all other times near the clock share one name. A
   * run on another day therefore has the same root state.
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
    this.#hidden = hidden;
    this.#rootTimes.clear(window.endMs);
    this.#rootTokens.clear();
    this.#values.fix(names);
    this.#begin("root", NO_ORIGINS, undefined);
    this.#walk.replace(facts, true);
    this.#values.nameRoot((marked) => {
      this.#begin("constant", marked, undefined);
      return nameOf(this.#walk.replace(facts));
    });
    this.#rootTimes.name(window);
    // Parts of tokens look like generated values: their signatures, and ids in their claims.
    const parts = this.#rootTokens.parts();
    this.rootValues = hashOf([...this.#values.constants].filter(([key]) => !parts.some((part) => part.includes(key))));
    this.rootTokens = hashOf(this.#rootTokens.all);
  }

  /** Sets {@link rootStores} to the hash of a text. */
  setRootStores(text: string): void {
    this.rootStores = hashOf(text);
  }

  /** Adds values to {@link rootValues}. */
  addRootValues(text: string): void {
    this.rootValues = hashOf([this.rootValues, text]);
  }

  /** Replaces values and times that also occur in the root state with names that are the same in all states. */
  constant(facts: Facts): Facts {
    if (this.isIdle) return facts;
    this.#begin("constant", NO_ORIGINS, undefined);
    return this.#walk.replace(facts);
  }

  /** @param step The step that led to this state; `undefined` if no new values are expected. */
  observe(facts: Facts, origins: Origins, step: StepOrigin | undefined): { readonly facts: Facts; readonly origins: Origins } {
    if (this.isIdle && origins.ids.size === 0 && origins.times.size === 0) return { facts, origins };
    this.#begin("observed", origins, step);
    let renamed = this.#walk.replace(facts);
    const hasNew = this.#values.hasNew || this.#times.hasNew;
    if (this.#values.hasNew) this.#values.nameNew();
    this.#times.complete();
    // The first pass may have read copies of a new value before the value was known as generated. A second pass replaces these copies.
    if (hasNew) renamed = this.#walk.replace(facts);
    const hidden = this.#hidden?.in(facts, this.#rootTimes.waiting(this.clock.aheadMs)) ?? [];
    const passed = this.#times.passed(hidden);
    if (passed.length > 0) renamed = { ...renamed, systems: { ...renamed.systems, [PASSED]: { kind: "value", value: passed } } };
    const { found: ids } = this.#values;
    const { found: times } = this.#times;
    const isSame = sameEntries(ids, origins.ids) && sameEntries(times, origins.times);
    return { facts: renamed, origins: isSame ? origins : { ...origins, ids, times, steps: origins.steps + 1 } };
  }

  #begin(reading: Reading, origins: Origins, step: StepOrigin | undefined): void {
    this.#values.begin(reading, origins, step);
    this.#times.begin(reading, origins, step, this.clock);
  }
}

function hashOf(value: unknown): string {
  const hash = { lo: 0, hi: 0 };
  hashText(JSON.stringify(value), hash);
  return hashName(hash);
}

function sameEntries<K, V>(a: ReadonlyMap<K, V>, b: ReadonlyMap<K, V>): boolean {
  if (a.size !== b.size) return false;
  for (const [key, value] of a) if (b.get(key) !== value) return false;
  return true;
}
