import {
  firstToPass,
  hashName,
  hasTimeIn,
  NO_ORIGINS,
  originsOfSnapshot,
  type Canonicalizer,
  type Origins,
  type OriginsSnapshot,
  type StepOrigin,
} from "../../state/index.ts";
import type { Facts } from "../../state/canonical/facts.ts";

const NOTHING: Readonly<Record<string, unknown>> = Object.freeze({});

/**
 * Replaces the generated values and the times of the observed state by names. Remembers which step generated these values. Values of the root state
 * have the same names on every path.
 */
export class ValueNames {
  /** The steps that generated the ids and times of the observed state. */
  origins: Origins = NO_ORIGINS;
  /** The canonicalizer, which names states, generated values and times. `undefined` until the root state is known. */
  #canonicalizer: Canonicalizer | undefined;
  /**
   * The name of the root state. Values that are generated in the root state have an empty {@link Origins.at}, whatever path led to the root state.
   */
  #homeName: string | undefined;
  /** The name of the content of the root state's stores, as in {@link Origins.atStores}. */
  #homeStores: string | undefined;
  #realTimeColumns: readonly string[] = [];
  /** A function that returns the last step. `undefined` if the state after the last step has been observed. */
  #step: (() => StepOrigin) | undefined;
  readonly #readsStores: () => boolean;

  /** @param readsStores Returns `true` if seqqa reads the stores (or a probe of the target), so that their content can be named alone. */
  constructor(readsStores: () => boolean) {
    this.#readsStores = readsStores;
  }

  /** Sets the canonicalizer, which names states, generated values and times from now on. @param clock the clock of the target */
  identify(canonicalizer: Canonicalizer, clock: Canonicalizer["renamer"]["clock"]): void {
    this.#canonicalizer = canonicalizer;
    this.#homeName = undefined;
    this.#homeStores = undefined;
    canonicalizer.renamer.clock = clock;
  }

  get renamer(): Canonicalizer["renamer"] | undefined {
    return this.#canonicalizer?.renamer;
  }

  /** The columns that the observed step filled with the real time; see `WorldState.realTimeColumns`. */
  get realTimeColumns(): readonly string[] {
    return this.#realTimeColumns;
  }

  /** Records that a step of an action ended. The next observation attributes new values to this step. */
  ended(step: (() => StepOrigin) | undefined): void {
    this.#step = step;
    this.#realTimeColumns = [];
  }

  /** Makes the next observation attribute new values to `step`, which belongs to no action. */
  since(step: () => StepOrigin): void {
    this.#step = step;
  }

  /** Sets the origins of a state that was restored or written. */
  moved(origins: Origins): void {
    this.origins = origins;
    this.#step = undefined;
  }

  movedToSnapshot(origins: OriginsSnapshot | undefined): void {
    this.moved(originsOfSnapshot(origins));
  }

  /** `true` if seqqa has not searched yet for the values that the last step generated. */
  get isBehind(): boolean {
    return this.#step !== undefined && this.#canonicalizer !== undefined && !this.#canonicalizer.renamer.isIdle;
  }

  /** Returns `true` if the state may contain a time in this second, or if it is not known which values are times. */
  mayHoldTimeIn(secondMs: number): boolean {
    const { renamer } = this;
    return renamer?.knowsTimes !== true || hasTimeIn(this.origins, secondMs) || renamer.hasRootTimeIn(secondMs);
  }

  /**
   * The earliest time in the observed state that was in the future when the state was observed, in milliseconds since 1970. `Infinity` if there is
   * none.
   */
  get firstToPassMs(): number {
    return this.origins === NO_ORIGINS ? Infinity : firstToPass(this.origins);
  }

  /** Returns the observed contents of the state with names instead of generated values and times. */
  observe(observed: Facts): Facts {
    const canonicalizer = this.#canonicalizer;
    if (canonicalizer === undefined) return observed;
    const { renamer } = canonicalizer;
    if (renamer.isIdle && this.origins === NO_ORIGINS) return observed;
    const step = this.#step?.();
    this.#step = undefined;
    const { facts, origins } = renamer.observe(observed, this.origins, step);
    this.origins = origins;
    if (step === undefined) {
      if (origins.at === "" && renamer.namesSources) this.#homeName ??= canonicalizer.nameOf(facts);
      if (origins.at === "" && renamer.namesTokens) this.#homeStores ??= this.#storesName(facts, canonicalizer);
      return facts;
    }
    this.#realTimeColumns = [...renamer.realTimeColumns];
    const name = renamer.namesSources ? canonicalizer.nameOf(facts) : "";
    const at = name === this.#homeName ? "" : name;
    const stores = renamer.namesTokens ? this.#storesName(facts, canonicalizer) : undefined;
    const atStores = stores === this.#homeStores ? undefined : stores;
    if (at !== origins.at || atStores !== origins.atStores) this.origins = { ...origins, at, atStores };
    return facts;
  }

  /**
   * Returns a name for the state. Two states have the same name if they are equal and their values were generated in the same order. Returns
   * `undefined` before the root state is known.
   */
  strictName(facts: Facts): string | undefined {
    const reached = { lo: 0, hi: 0 };
    this.#canonicalizer?.fingerprint(facts, reached);
    return this.#canonicalizer && `${hashName(reached)} ${this.#canonicalizer.strict}`;
  }

  /** Returns the name of the content of all stores, for {@link Origins.atStores}. If seqqa reads no stores, returns the name of the whole state. */
  #storesName(facts: Facts, canonicalizer: Canonicalizer): string {
    return hashName(canonicalizer.unordered(this.#readsStores() ? { systems: facts.systems, context: NOTHING, clients: NOTHING } : facts));
  }
}
