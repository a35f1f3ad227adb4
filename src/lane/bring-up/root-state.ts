import { isDeepStrictEqual } from "node:util";
import type { AgentDefinition } from "../../model/declare/agent.ts";
import { setUpByJourney } from "../../journeys/index.ts";
import { Context, contextPartOf } from "../../model/context/context.ts";
import { SeqqaError } from "../../model/errors.ts";
import { JourneyDefinition } from "../../model/declare/journey/journey.ts";
import { rejectedCookiesOf } from "../../model/http/client.ts";
import { ApiResponse } from "../../model/http/response.ts";
import type { Login } from "../../model/declare/rule.ts";
import type { Observed } from "../../model/stores/store-adapter.ts";
import type { World } from "../../model/declare/world.ts";
import { sameFingerprint, type Facts, type Fingerprint } from "../../state/canonical/facts.ts";
import { differences, snapshotOfOrigins, type Canonicalizer, type Execution, type StepWindow } from "../../state/index.ts";
import type { Drawing } from "./data-draws.ts";
import { LaneLost } from "./lane-lost.ts";
import { pendingText } from "../step/error-events.ts";
import type { TargetRestart } from "./target-restart.ts";
import { wholeOf } from "../state/whole-state.ts";
import type { WorldState } from "../state/world-state.ts";
import { passesAt, SOON_MS, type WorldSnapshot, type SavedWorld } from "../state/saved-world.ts";

export interface RootStateOptions {
  readonly definition: AgentDefinition<never, never>;
  readonly world: World<never, never>;
  readonly state: WorldState;
  readonly canonicalizer: Canonicalizer;
  readonly lookalikes: Canonicalizer;
  readonly drawing: Drawing;
  readonly restart: TargetRestart | undefined;
  /** A snapshot of another lane's root state, if this lane is a copy of that lane. The snapshot is written to the stores, and `setup` is not run. */
  readonly snapshot: WorldSnapshot | undefined;
  /**
   * A snapshot of the data that `setup` made on the first lane. This data replaces the data that `setup` makes on this lane, so that all lanes have
   * the same ids.
   */
  readonly shared: WorldSnapshot | undefined;
  /** `true` if requests of `target.warm_up` may have made rows before the stores were opened. These rows may have different ids on each lane. */
  readonly isWarmedUp: boolean;
  /** Opens the stores again after `setup` changed their schema. `undefined` for external stores, where a changed schema is an error. */
  readonly reopen: (() => Promise<void>) | undefined;
}

export interface RootFacts {
  readonly whole: Fingerprint;
  /** `check`: the second hash of the state; see {@link Canonicalizer.check}. */
  readonly node: Fingerprint & { readonly check: number };
  readonly lines: readonly string[];
}

const ROOT_LINES = 2000;
const SHOWN_LINES = 20;
/** Maximum number of attempts to save the state before `setup`. An attempt fails if the target writes by itself during the attempt. */
const MOST_STARTS = 4;

/**
 * The root state of a lane. If the stores hold the whole state, a checkpoint restores the root state. Otherwise (the World has `reset`, or the
 * target's process is restarted) the root state is made again: the stores are restored to the time before `setup`, the target is reset or restarted,
 * and `setup` runs. The values that `setup` generates again, such as ids, belong to the root state. Stores therefore observe changes since the time
 * before `setup`, not changes since the root state.
 */
export class RootState {
  /** `true` if the root state is restored by running `setup` again. `false` if a checkpoint restores the root state. */
  readonly remade: boolean;
  readonly #options: RootStateOptions;
  #canonicalizer: Canonicalizer;
  #mark: SavedWorld | undefined;
  #facts: RootFacts | undefined;
  /**
   * A checkpoint of the context and the clients without the stores, made when the function `world` had returned. `#before` also contains the stores.
   */
  #built: SavedWorld | undefined;
  #before: SavedWorld | undefined;
  #wholeBefore: Readonly<Record<string, Observed>> = {};
  /** A snapshot of the root state that was made first. */
  #snapshot: WorldSnapshot | undefined;
  #redrawn = false;
  #setupAt: StepWindow = { startMs: Date.now(), endMs: Date.now() };
  /** The times at which the `setup` that made `#snapshot` began and ended. */
  #firstSetupAt: StepWindow = this.#setupAt;
  #made: WorldSnapshot | undefined;
  /** Sets the counters that no checkpoint restores. Only set during {@link cleanly}. */
  #clean: (() => Promise<void>) | undefined;

  constructor(options: RootStateOptions) {
    this.#options = options;
    this.#canonicalizer = options.canonicalizer;
    this.remade = options.world.reset !== undefined || options.restart !== undefined;
  }

  /** The times at which `setup` began and ended when it last made the root state. */
  get setupAt(): StepWindow {
    return this.#setupAt;
  }

  /**
   * A snapshot of the data that `setup` changed. Other lanes write this snapshot to their stores, so that all lanes have the same ids and can use
   * each other's snapshots. `undefined` if no snapshot can be taken.
   */
  get made(): WorldSnapshot | undefined {
    // With the origins of the root state, a lane that is built later knows which times of the stores have passed. Cookies that `setup` received are
    // treated as if they did not expire.
    return this.#made && { ...this.#made, origins: snapshotOfOrigins(this.mark.origins), cookiesPassMs: undefined };
  }

  /** The checkpoint of the root state. Each time the root state is made again, a new checkpoint replaces the old checkpoint. */
  get mark(): SavedWorld {
    return this.#mark!;
  }

  /** The fingerprints and text lines of the root state that was made first. {@link again} throws if a later root state differs. */
  get facts(): RootFacts {
    return this.#facts!;
  }

  async make(): Promise<void> {
    const { state } = this.#options;
    if (this.remade) {
      this.#built = state.own();
      await this.#reset();
      const { facts, mark } = await this.#startStores();
      this.#wholeBefore = facts.systems;
      this.#before = mark;
      await this.#remake();
    } else {
      try {
        await this.#setUpLikeTheOthers();
        await this.#root();
      } catch (error) {
        await this.#takeSchema(error);
        await this.#root();
      }
    }
  }

  /**
   * Handles the error that is thrown if `setup` changed the schema of a store: opens the stores again, so that the new tables belong to the root
   * state.
   * @throws all other errors
   */
  async #takeSchema(error: unknown): Promise<void> {
    const { reopen } = this.#options;
    if (reopen === undefined || !(error instanceof SeqqaError) || error.code !== "SCHEMA_CHANGED") throw error;
    this.#made = undefined;
    await reopen();
    // If the stores cannot be shared, each lane has different ids.
    await this.#shareWhole();
  }

  /**
   * Copies the whole stores of the first lane to this lane, so that all lanes have the same ids. The rows of `setup` and `warm_up` cannot be
   * distinguished from other rows, so seqqa cannot copy only the data of `setup`. @returns `false` if a store cannot return its whole content
   */
  async #shareWhole(): Promise<boolean> {
    const { state, shared } = this.#options;
    const made = state.portable ? await state.captureWhole() : undefined;
    if (made === undefined) return false;
    this.#made = { ...made, setupAt: this.#setupAt };
    if (shared?.isWhole === true) await this.#takeOver(this.#made, shared);
    return true;
  }

  /** Makes the root state again with more knowledge about generated values. All earlier checkpoints become invalid. */
  async relearn(canonicalizer: Canonicalizer): Promise<void> {
    const { state, restart } = this.#options;
    this.#canonicalizer = canonicalizer;
    if (this.remade) {
      await this.#beforeSetup(restart);
      await this.#remake();
      this.#redrawn = false;
    } else {
      await state.restore(this.mark);
      await this.#root();
    }
  }

  /** Runs `setup` and makes the resulting state the root state. The target and its stores must be in the state before `setup`. */
  async #remake(): Promise<void> {
    await this.#setUp();
    this.#facts = await this.#settle();
    const { state } = this.#options;
    if (state.portable) [this.#snapshot, this.#firstSetupAt] = [await state.capture(), this.#setupAt];
  }

  async #root(): Promise<void> {
    const { state } = this.#options;
    const { facts, mark } = await this.#startStores();
    const whole = this.#identify(facts);
    const lines = this.#lines(facts);
    // Observe the root state before its checkpoint is made. The checkpoint then contains the times that will pass.
    const node = await this.#node();
    if (await state.storesChanged(mark)) await state.restoreStores(mark);
    this.#mark = await state.mark();
    this.#facts = { whole, node, lines };
  }

  /**
   * Makes the present content of the stores the base of later observations and snapshots. Tries again if the target wrote by itself before the
   * checkpoint was made, because writing a snapshot would then make the checkpoint invalid.
   */
  async #startStores(): Promise<{ readonly facts: Facts; readonly mark: SavedWorld }> {
    const { state } = this.#options;
    for (let left = MOST_STARTS; ; left--) {
      const facts = await state.root();
      const mark = await state.mark();
      if (left <= 1 || isUnchanged((await state.observed()).systems)) return { facts, mark };
    }
  }

  #lines(facts: Facts): readonly string[] {
    return this.#canonicalizer.describe(this.#canonicalizer.renamer.constant(facts)).slice(0, ROOT_LINES);
  }

  /** Brings the world from any state to the root state. @throws LaneLost if the result differs from the root state that was made first */
  async again(): Promise<SavedWorld> {
    const { state, restart } = this.#options;
    if (!this.remade) {
      await state.restore(this.mark);
      return this.mark;
    }
    await this.#setUpAgain();
    const first = this.facts;
    const now = await this.#settle();
    if (sameFingerprint(first.whole, now.whole) && sameFingerprint(first.node, now.node)) return this.mark;
    const how = restart === undefined ? "After reset" : "After a restart";
    throw new LaneLost(
      "dirty",
      `${how} and \`setup\`, the target is not in the state in which the run began`,
      differences(first.lines, now.lines, SHOWN_LINES),
    );
  }

  /**
   * Makes the root state once more and returns its content with generated values. The result may differ from the root state that was made first. Only
   * called if the root state is {@link remade}.
   */
  async sample(): Promise<Execution> {
    await this.#setUpAgain();
    this.#options.state.adopt();
    return { facts: structuredClone((await this.#whole()).facts), window: this.#setupAt };
  }

  async #setUpAgain(): Promise<void> {
    this.#redrawn = true;
    await this.#beforeSetup(this.#options.restart);
    await this.#setUp();
  }

  /**
   * Restores the root state with the ids that `setup` generated the first time, because snapshots of states contain these ids. Only for stores that
   * can be written.
   */
  async first(): Promise<SavedWorld> {
    const { state } = this.#options;
    if (!this.#redrawn) await state.restore(this.mark);
    else {
      await state.write(this.#snapshot!);
      // A later `setup` has another window, from which the times of this state have other distances.
      this.#setupAt = this.#firstSetupAt;
      await this.#settle();
      this.#redrawn = false;
    }
    return this.mark;
  }

  /** Restores external stores and worlds of the user at the end of a run. A World with `reset` is reset. */
  async leave(): Promise<void> {
    const { state, world } = this.#options;
    if (world.reset === undefined) return state.restore(this.mark);
    await this.#beforeSetup(undefined);
  }

  async #beforeSetup(restart: TargetRestart | undefined): Promise<void> {
    const { state, world } = this.#options;
    const before = this.#before!;
    state.restoreOwn(this.#built!);
    const putBack = async (): Promise<SavedWorld> => {
      await state.restoreStores(before);
      await this.#clean?.();
      return before;
    };
    await (restart === undefined ? putBack() : restart.around(putBack));
    if (world.reset === undefined) return;
    await this.#reset();
    // If the user's `reset` also writes to stores, it may write different values each time, so restore the stores.
    if (await state.storesChanged(before)) await state.restoreStores(before);
  }

  /**
   * Calls `goHome`, which brings the lane to the root state, and sets the counters that no checkpoint restores to their values in the root state. If
   * the root state is {@link remade}, the counters are set before `setup`. Resolves to `false` if the counters could not be set.
   */
  async cleanly(goHome: () => Promise<unknown>): Promise<boolean> {
    let isClean = true;
    this.#clean = async () => void (isClean = await this.#options.state.restoreCounters());
    try {
      await goHome();
      if (!this.remade) await this.#clean();
    } finally {
      this.#clean = undefined;
    }
    return isClean;
  }

  async #reset(): Promise<void> {
    const { world, drawing, state } = this.#options;
    drawing.root("reset");
    try {
      await state.asks.during(() => world.reset?.(world));
    } catch (cause) {
      throw userError("RESET_THREW", "The function `reset` of the World threw an error", cause);
    }
    this.#refusePending("The World's reset");
  }

  async #setUp(): Promise<void> {
    const { snapshot, state } = this.#options;
    const startMs = Date.now();
    // The snapshot is only written when the lane is built. After a restart `setup` has to run, because the new process needs the data that `setup`
    // gives it.
    const isWritten = snapshot !== undefined && this.#facts === undefined && !state.namesOtherHost(snapshot);
    await (isWritten ? state.write(snapshot) : this.#runSetup());
    this.#setupAt = (isWritten ? snapshot.setupAt : undefined) ?? { startMs, endMs: Date.now() };
  }

  async #runSetup(): Promise<void> {
    const { definition, world, state, drawing } = this.#options;
    drawing.root("setup");
    try {
      const { setup } = definition;
      await state.asks.during(() => (setup instanceof JourneyDefinition ? setUpByJourney(setup, world) : setup?.(world)));
    } catch (cause) {
      throw userError("SETUP_THREW", "The function `setup` of the exploration threw an error", cause, this.#rejectedCookies());
    }
    this.#refusePending("The function `setup` of the exploration");
    for (const [role, login] of Object.entries(definition.users)) await this.#logIn(role, login);
    drawing.root("probe");
    try {
      await state.probe();
    } catch (cause) {
      throw userError("PROBE_THREW", "The function `probe` of the World threw an error", cause);
    }
  }

  /**
   * Checks that all requests are answered. On some lanes, the effect of an unanswered request would belong to the root state, and on other lanes to
   * the first step. @throws SeqqaError `PENDING_REQUEST` if a request is not answered
   */
  #refusePending(who: string): void {
    const left = this.#options.state.pending();
    if (left.length === 0) return;
    throw new SeqqaError("PENDING_REQUEST", pendingText(who, left), {
      exitStatus: 3,
      hint: "Look in the code of the function for a request without `await`, and add the `await`.",
    });
  }

  /** Logs in the client of a role. The code for the login gets its own context, which is not part of the state. */
  async #logIn(role: string, login: Login): Promise<void> {
    const { world, drawing, state } = this.#options;
    drawing.root(`login ${role}`);
    const context = new Context();
    contextPartOf(context as never).drawFrom(drawing.source);
    let answer: unknown;
    try {
      answer = await state.asks.during(() => login(world.clients[role]!, context));
    } catch (cause) {
      throw userError("LOGIN_THREW", `The login of the role "${role}" threw an error`, cause, this.#rejectedCookies());
    }
    this.#refusePending(`The login of "${role}"`);
    if (!(answer instanceof ApiResponse) || answer.statusCode < 400) return;
    throw new SeqqaError("LOGIN_REFUSED", `The target answered the login of the role "${role}" with status ${answer.statusCode}.`, {
      exitStatus: 3,
      hint: "Check the credentials that the login sends. Check also that `setup` or the database creates this user.",
    });
  }

  /**
   * Returns a hint if clients rejected cookies, because the loss of a session cookie is a frequent reason for refused calls. Otherwise returns
   * `undefined`.
   */
  #rejectedCookies(): string | undefined {
    const messages = rejectedCookiesOf(this.#options.world.allClients().values());
    return messages.length === 0 ? undefined : messages.join(" ");
  }

  /**
   * Runs `setup`. If the resulting stores differ from those of the first lane, writes the first lane's data to them: all lanes then have the same
   * ids.
   */
  async #setUpLikeTheOthers(): Promise<void> {
    const { definition, state, shared, isWarmedUp } = this.#options;
    const nothing = definition.setup === undefined && Object.keys(definition.users).length === 0;
    if ((nothing && !isWarmedUp) || !state.portable) return this.#setUp();
    await state.root();
    await this.#setUp();
    if ((isWarmedUp || shared?.isWhole === true) && (await this.#shareWhole())) return;
    this.#made = { ...(await state.capture()), setupAt: this.#setupAt };
    if (shared !== undefined && shared.isWhole !== true) await this.#takeOver(this.#made, shared);
  }

  /** Writes the data of the first lane to the stores if the data that this lane has `made` differs. */
  async #takeOver(made: WorldSnapshot, shared: WorldSnapshot): Promise<void> {
    const { state } = this.#options;
    // If a time that the first lane's `setup` wrote has passed, this lane keeps its own data. It also keeps its own URLs.
    if (passesAt(shared) <= Date.now() + SOON_MS || state.namesOtherHost(shared)) return;
    const isSame = sameStores(made, shared);
    // The names of times in this lane's tokens depend on when this lane logged in, so keep the times of this lane's `setup` if the tokens differ.
    const tokensIn = ({ clients, context }: WorldSnapshot): unknown => [clients, context.entries];
    const hasOwnTokens = isSame && !isDeepStrictEqual(tokensIn(made), tokensIn(shared));
    if (!hasOwnTokens) this.#setupAt = shared.setupAt ?? this.#setupAt;
    if (isSame) return;
    try {
      await state.write(shared);
    } catch (error) {
      throw unlikeTheFirst(error);
    }
    this.#made = shared;
  }

  /** Makes the present state the root state. Called after `setup` ran again, if the root state is {@link remade}. */
  async #settle(): Promise<RootFacts> {
    const { state } = this.#options;
    state.adopt();
    const { facts, shown } = await this.#whole();
    const whole = this.#identify(facts, shown);
    const lines = this.#lines(facts);
    // Observe the state before the checkpoint is made. The checkpoint then contains the times of `setup` that will pass.
    const node = await this.#node();
    this.#mark = await state.mark();
    return { whole, node, lines };
  }

  /** Returns the whole content of the stores as `facts`, and only the changes since the time before `setup` as `shown`. */
  async #whole(): Promise<{ readonly facts: Facts; readonly shown: Facts["systems"] }> {
    const relative = await this.#options.state.observed();
    const systems = Object.fromEntries(
      Object.entries(relative.systems).map(([name, since]) => [name, wholeOf(this.#wholeBefore[name] ?? since, since)]),
    );
    return { facts: { ...relative, systems }, shown: relative.systems };
  }

  /** Treats the present values as constants, because they belong to the root state. Returns the fingerprint of the root state. */
  #identify(facts: Facts, shown?: Facts["systems"]): Fingerprint {
    this.#options.lookalikes.root(facts);
    return this.#canonicalizer.root(facts, this.#setupAt, shown);
  }

  async #node(): Promise<RootFacts["node"]> {
    const node = { lo: 0, hi: 0 };
    await this.#options.state.fingerprint(this.#canonicalizer, node);
    return { ...node, check: this.#canonicalizer.check };
  }
}

/** Returns `true` if no store has rows that were added or removed since its root. */
function isUnchanged(systems: Facts["systems"]): boolean {
  return Object.values(systems).every(
    (one) => one.kind !== "rows" || one.tables.every(({ added, removed }) => added.length + removed.length === 0),
  );
}

/**
 * Returns a clearer error if rows are missing because the target made different rows before `setup` on this lane and on the first lane. Returns all
 * other errors unchanged.
 */
function unlikeTheFirst(error: unknown): unknown {
  if (!(error instanceof SeqqaError) || (error.code !== "JOURNAL_INCOHERENT" && error.code !== "STORE_NOT_PUT_BACK")) return error;
  return new SeqqaError(
    "ROOTS_DIFFER",
    `Before \`setup\`, the rows in a store of this lane differ from the rows in the same store of the first lane: ${error.message}`,
    {
      hint: "The target probably fills an empty store with new ids at each start. Start the target once on the store of db_url: every lane then gets a copy of the same rows. If you use `lanes`, put the same rows into each store.",
      cause: error,
    },
  );
}

/** Converts an error of user code to a SeqqaError that says where it was thrown. Returns a SeqqaError unchanged. */
export function userError(code: string, what: string, cause: unknown, hint?: string): SeqqaError {
  if (cause instanceof SeqqaError) return cause;
  const message = cause instanceof Error ? cause.message : String(cause);
  return new SeqqaError(code, `${what}: ${message}`, { exitStatus: 3, cause, hint });
}

/** Returns `true` if the stores in two snapshots are equal. Clients are not compared, since their tokens differ on every lane. */
function sameStores(a: WorldSnapshot, b: WorldSnapshot): boolean {
  return isDeepStrictEqual(a.systems, b.systems);
}
