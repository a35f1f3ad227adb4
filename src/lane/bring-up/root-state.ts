import { isDeepStrictEqual } from "node:util";
import type { AgentDefinition } from "../../model/declare/agent.ts";
import { setUpByJourney } from "../../journeys/index.ts";
import { Context, contextPartOf } from "../../model/context/context.ts";
import { SeqqaError } from "../../model/errors.ts";
import { JourneyDefinition } from "../../model/declare/journey.ts";
import { ApiResponse } from "../../model/http/response.ts";
import type { Login } from "../../model/declare/rule.ts";
import type { Observed } from "../../model/stores/store-adapter.ts";
import type { World } from "../../model/declare/world.ts";
import type { Facts, Fingerprint } from "../../state/canonical/facts.ts";
import { differences, type Canonicalizer, type StepWindow } from "../../state/index.ts";
import type { Drawing } from "./data-draws.ts";
import { LaneLost } from "./lane-lost.ts";
import { pendingText } from "../step/stepper.ts";
import type { TargetRestart } from "./target-restart.ts";
import { wholeOf } from "../state/whole-state.ts";
import type { WorldSnapshot, SavedWorld, WorldState } from "../state/world-state.ts";

export interface RootStateOptions {
  readonly definition: AgentDefinition<never, never>;
  readonly world: World<never, never>;
  readonly state: WorldState;
  readonly canonicalizer: Canonicalizer;
  readonly lookalikes: Canonicalizer;
  readonly drawing: Drawing;
  readonly restart: TargetRestart | undefined;
  /** A snapshot of another lane's root state, if this lane is a copy of that lane. Writing the snapshot replaces `setup`. */
  readonly image: WorldSnapshot | undefined;
  /** The data that `setup` made on the first lane. It replaces the data that `setup` makes on this lane. */
  readonly shared: WorldSnapshot | undefined;
  /** Opens the stores again after `setup` changed their schema. `undefined` for external stores, where such a change is refused. */
  readonly reopen: (() => Promise<void>) | undefined;
}

export interface RootFacts {
  readonly whole: Fingerprint;
  readonly node: Fingerprint;
  readonly lines: readonly string[];
}

const ROOT_LINES = 2000;
const SHOWN_LINES = 20;

/**
 * The root state of a lane. If the stores hold the whole state, a checkpoint restores the root state. Otherwise (the World has `reset`, or the
 * process is restarted) the root state is *made again*: the stores are restored to before `setup`, the target is reset or restarted, and `setup`
 * runs. Values that `setup` draws again (tokens, ids) then belong to the new root state. Therefore the stores observe changes since before `setup`,
 * and not changes since the root state.
 */
export class RootState {
  /** `true` if running `setup` makes the root state again. `false` if checkpoints restore it. */
  readonly remade: boolean;
  readonly #options: RootStateOptions;
  #canonicalizer: Canonicalizer;
  #mark: SavedWorld | undefined;
  #facts: RootFacts | undefined;
  /** Context and clients when the world was built. `#before` is the whole world before `setup`. */
  #built: SavedWorld | undefined;
  #before: SavedWorld | undefined;
  #wholeBefore: Readonly<Record<string, Observed>> = {};
  /** A snapshot of the root state that was made first. */
  #image: WorldSnapshot | undefined;
  #redrawn = false;
  #setupAt: StepWindow = { startMs: Date.now(), endMs: Date.now() };
  #made: WorldSnapshot | undefined;

  constructor(options: RootStateOptions) {
    this.#options = options;
    this.#canonicalizer = options.canonicalizer;
    this.remade = options.world.reset !== undefined || options.restart !== undefined;
  }

  /** The times at which `setup` began and ended when it made the present root state. */
  get setupAt(): StepWindow {
    return this.#setupAt;
  }

  /** The data that `setup` changed, if a snapshot can be taken. Lanes whose `setup` drew other ids could not use each other's states. */
  get made(): WorldSnapshot | undefined {
    return this.#made;
  }

  /** The checkpoint of the root state that was made last. */
  get mark(): SavedWorld {
    return this.#mark!;
  }

  /** Facts about the root state that was made first. {@link again} throws if a later root state differs. */
  get facts(): RootFacts {
    return this.#facts!;
  }

  async make(): Promise<void> {
    const { state } = this.#options;
    if (this.remade) {
      this.#built = state.own();
      await this.#reset();
      this.#wholeBefore = (await state.root()).systems;
      this.#before = await state.mark();
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
   * Handles a `setup` that creates tables: the tables belong to the root state.
   * @throws any error other than a schema change
   */
  async #takeSchema(error: unknown): Promise<void> {
    const { reopen } = this.#options;
    if (reopen === undefined || !(error instanceof SeqqaError) || error.code !== "SCHEMA_CHANGED") throw error;
    // Ids that `setup` drew in the new tables exist on this lane only, since no shared snapshot replaces them.
    this.#made = undefined;
    await reopen();
  }

  /** Makes the root state again for a canonicalizer that knows more. Every earlier checkpoint becomes invalid. */
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

  /** Runs `setup` and makes the result the root state. The target must be in the state before `setup`. */
  async #remake(): Promise<void> {
    await this.#setUp();
    this.#facts = await this.#settle();
    const { state } = this.#options;
    if (state.portable) this.#image = await state.capture();
  }

  async #root(): Promise<void> {
    const { state } = this.#options;
    const facts = await state.root();
    const whole = this.#identify(facts);
    const lines = this.#lines(facts);
    this.#mark = await state.mark();
    this.#facts = { whole, node: await this.#node(), lines };
  }

  #lines(facts: Facts): readonly string[] {
    return this.#canonicalizer.describe(this.#canonicalizer.renamer.constant(facts)).slice(0, ROOT_LINES);
  }

  /** Brings the world to the root state from any state. @throws LaneLost if the result differs from the first root state */
  async again(): Promise<SavedWorld> {
    const { state, restart } = this.#options;
    if (!this.remade) {
      await state.restore(this.mark);
      return this.mark;
    }
    this.#redrawn = true;
    await this.#beforeSetup(restart);
    await this.#setUp();
    const first = this.facts;
    const now = await this.#settle();
    if (same(first.whole, now.whole) && same(first.node, now.node)) return this.mark;
    const how = restart === undefined ? "After reset" : "After a restart";
    throw new LaneLost(
      "dirty",
      `${how} and setup the target is not in the root state that the run began with`,
      differences(first.lines, now.lines, SHOWN_LINES),
    );
  }

  /** Restores the root state with the ids that `setup` drew the first time, for a world whose stores can be written. Snapshots contain those ids. */
  async first(): Promise<SavedWorld> {
    const { state } = this.#options;
    if (!this.#redrawn) await state.restore(this.mark);
    else {
      await state.write(this.#image!);
      await this.#settle();
      this.#redrawn = false;
    }
    return this.mark;
  }

  /** Restores a target and stores that belong to the user, at the end of a run. */
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
      return before;
    };
    await (restart === undefined ? putBack() : restart.around(putBack));
    if (world.reset === undefined) return;
    await this.#reset();
    // A reset that also writes to declared stores may write different values each time.
    if (await state.storesChanged(before)) await state.restoreStores(before);
  }

  async #reset(): Promise<void> {
    const { world, drawing, state } = this.#options;
    drawing.root("reset");
    try {
      await state.asks.during(() => world.reset?.(world));
    } catch (cause) {
      throw userError("RESET_THREW", "The World's reset threw", cause);
    }
    this.#refusePending("The World's reset");
  }

  async #setUp(): Promise<void> {
    const { image } = this.#options;
    const startMs = Date.now();
    // Written only the first time. After a restart `setup` has to run, because the new process needs its data, too.
    const isWritten = image !== undefined && this.#facts === undefined;
    await (isWritten ? this.#options.state.write(image) : this.#runSetup());
    this.#setupAt = (isWritten ? image.setupAt : undefined) ?? { startMs, endMs: Date.now() };
  }

  async #runSetup(): Promise<void> {
    const { definition, world, state, drawing } = this.#options;
    drawing.root("setup");
    try {
      const { setup } = definition;
      await state.asks.during(() => (setup instanceof JourneyDefinition ? setUpByJourney(setup, world) : setup?.(world)));
    } catch (cause) {
      throw userError("SETUP_THREW", "The agent's setup threw", cause);
    }
    this.#refusePending("The agent's setup");
    for (const [role, login] of Object.entries(definition.users)) await this.#logIn(role, login);
    drawing.root("probe");
    try {
      await state.probe();
    } catch (cause) {
      throw userError("PROBE_THREW", "The World's probe threw", cause);
    }
  }

  /**
   * Refuses requests that are still unanswered. Their effect would belong to the root state on one lane, and to a step on another.
   * @throws SeqqaError `PENDING_REQUEST`
   */
  #refusePending(who: string): void {
    const left = this.#options.state.pending();
    if (left.length === 0) return;
    throw new SeqqaError("PENDING_REQUEST", pendingText(who, left), { exitStatus: 3, hint: "Check for a call without `await`." });
  }

  /** Logs a role in, so that its client acts as its user. The login has a context of its own, which nothing else sees. */
  async #logIn(role: string, login: Login): Promise<void> {
    const { world, drawing, state } = this.#options;
    drawing.root(`login ${role}`);
    const context = new Context();
    contextPartOf(context as never).drawFrom(drawing.source);
    let answer: unknown;
    try {
      answer = await state.asks.during(() => login(world.clients[role]!, context));
    } catch (cause) {
      throw userError("LOGIN_THREW", `The login of "${role}" threw`, cause);
    }
    this.#refusePending(`The login of "${role}"`);
    if (!(answer instanceof ApiResponse) || answer.statusCode < 400) return;
    throw new SeqqaError("LOGIN_REFUSED", `The login of "${role}" was answered with status ${answer.statusCode}.`, {
      exitStatus: 3,
      hint: "Check the credentials that it sends, and that the user exists in the root state.",
    });
  }

  /** Runs `setup`. If it draws ids, the lane's data is then replaced by that of the first lane, so that all lanes have the same ids. */
  async #setUpLikeTheOthers(): Promise<void> {
    const { definition, state, shared } = this.#options;
    const nothing = definition.setup === undefined && Object.keys(definition.users).length === 0;
    if (nothing || !state.portable) return this.#setUp();
    await state.root();
    await this.#setUp();
    this.#made = { ...(await state.capture()), setupAt: this.#setupAt };
    this.#setupAt = shared?.setupAt ?? this.#setupAt;
    if (shared === undefined || sameStores(this.#made, shared)) return;
    try {
      await state.write(shared);
    } catch (error) {
      throw unlikeTheFirst(error);
    }
    this.#made = shared;
  }

  /** Makes the result of `setup` the root state, for a root state that is made again. */
  async #settle(): Promise<RootFacts> {
    const { state } = this.#options;
    state.adopt();
    const relative = await state.observed();
    const systems = Object.fromEntries(
      Object.entries(relative.systems).map(([name, since]) => [name, wholeOf(this.#wholeBefore[name] ?? since, since)]),
    );
    const facts: Facts = { ...relative, systems };
    const whole = this.#identify(facts);
    const lines = this.#lines(facts);
    this.#mark = await state.mark();
    return { whole, node: await this.#node(), lines };
  }

  /** Declares the values of the root state as constants. Returns its fingerprint. */
  #identify(facts: Facts): Fingerprint {
    this.#options.lookalikes.root(facts);
    return this.#canonicalizer.root(facts, this.#setupAt);
  }

  async #node(): Promise<Fingerprint> {
    const node = { lo: 0, hi: 0 };
    await this.#options.state.fingerprint(this.#canonicalizer, node);
    return node;
  }
}

function same(a: Fingerprint, b: Fingerprint): boolean {
  return a.lo === b.lo && a.hi === b.hi;
}

/**
 * Returns an error that explains missing rows: before `setup`, the target made other rows here than on the first lane. Returns other errors
 * unchanged.
 */
function unlikeTheFirst(error: unknown): unknown {
  if (!(error instanceof SeqqaError) || (error.code !== "JOURNAL_INCOHERENT" && error.code !== "STORE_NOT_PUT_BACK")) return error;
  return new SeqqaError(
    "ROOTS_DIFFER",
    `Before setup, the store of this lane has different rows than that of the first lane: ${error.message}`,
    {
      hint: "The target probably fills an empty store with new ids each time. Start it once on the store that db_url names, so that every lane gets a copy of the same rows; with `lanes`, give each store the same rows yourself.",
      cause: error,
    },
  );
}

/** Wraps an error of user code, and says where it comes from. Returns a SeqqaError unchanged. */
export function userError(code: string, what: string, cause: unknown): SeqqaError {
  if (cause instanceof SeqqaError) return cause;
  const message = cause instanceof Error ? cause.message : String(cause);
  return new SeqqaError(code, `${what}: ${message}`, { exitStatus: 3, cause });
}

/** Returns `true` if the stores of two snapshots are equal. Clients are not compared, since tokens differ on every lane. */
function sameStores(a: WorldSnapshot, b: WorldSnapshot): boolean {
  return isDeepStrictEqual(a.systems, b.systems);
}
