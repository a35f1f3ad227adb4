import type { LaneBase, RaceGround } from "../../lane/index.ts";
import { LaneLost } from "../../lane/index.ts";
import { contextPartOf, type SavedContext } from "../../model/context/context.ts";
import { withoutOrder } from "../../model/stores/received.ts";
import type { Observed } from "../../model/stores/store-adapter.ts";
import type { Facts } from "../../state/canonical/facts.ts";
import type { CallEnd, ExecutedFacts, Execution, MergedState } from "../oracle/execution.ts";
import { haveOwnData } from "../own-data.ts";
import { permutations } from "../permutations.ts";
import { conflict, contextChanges, mergedContext, type ContextChanges } from "./merge-contexts.ts";
import { currentSide, RaceScope, type Deliver } from "./race-scope.ts";
import { SerialColumns } from "./serial-columns.ts";
import { Side } from "./side.ts";
import { TakingTurns } from "./taking-turns.ts";

export interface CallsOptions {
  readonly ground: RaceGround;
  /** Indices of the actions that lead from the root state to the state in which the calls are executed. */
  readonly path: readonly number[];
  /** The paths from which test data is drawn; see `RaceRequest.draws`. */
  readonly draws: readonly (readonly number[])[] | undefined;
  /** Indices of the actions to execute simultaneously. An action may occur more than once. */
  readonly sides: readonly number[];
}

/** Executes the calls of a race in one state, one after another or simultaneously. Each execution begins by navigating to that state. */
export class Calls {
  readonly #options: CallsOptions;
  readonly #base: LaneBase;
  readonly #serial: SerialColumns;
  #sides: readonly Side[] = [];
  #saved: SavedContext | undefined;
  #clients: readonly unknown[] = [];
  /** `true` if any call drew test data. */
  drew = false;
  /** The state in which the calls are executed, and the time at which the lane began to navigate to it. */
  #begun: { readonly startMs: number; readonly before: Facts } | undefined;

  constructor(options: CallsOptions) {
    this.#options = options;
    this.#base = options.ground.base;
    this.#serial = new SerialColumns(this.#base.schemas);
  }

  /** `true` if the run was interrupted. */
  get isCancelled(): boolean {
    return this.#options.ground.isCancelled();
  }

  /** Runs `work`. While `work` runs, each recorded request is assigned to the call that sent it. */
  async listening<T>(work: () => Promise<T>): Promise<T> {
    const { state, stepper } = this.#base;
    state.listen((exchange) => {
      const side = currentSide();
      this.#options.ground.touch();
      if (side === undefined) stepper.sink(exchange);
      else this.#sides[side]!.take(exchange);
    });
    try {
      return await work();
    } finally {
      state.listen(stepper.sink);
    }
  }

  /** Navigates to the state in which the calls are executed, saves context and credentials, and returns the content of the state. */
  async arrive(): Promise<Facts> {
    const { ground, path, draws } = this.#options;
    const { state, world } = this.#base;
    const startMs = state.now();
    await ground.goTo(path, draws);
    this.#saved = contextPartOf(world.context).save();
    this.#clients = state.clients.map((client) => client.save());
    this.#sides = this.#newSides();
    const before = copyOf(await state.observed(), this.#serial);
    this.#begun = { startMs, before };
    return before;
  }

  async inOrder(order: readonly number[], deliver?: Deliver): Promise<Execution> {
    await this.arrive();
    const after: ExecutedFacts[] = [];
    for (const [at, side] of order.entries()) {
      // Restore the original credentials before each call, because simultaneous calls do not know each other's new credentials.
      this.#restoreClients();
      await this.call(side, deliver);
      const { lost, action } = this.#sides[side]!.end!;
      if (lost !== undefined) throw new LaneLost(lost, `${action} got no answer`);
      after.push((await this.#observe(order.slice(0, at + 1))).facts);
    }
    const broken = await this.check();
    return { order, calls: this.#ends(new Set(order)), states: [{ merged: order, facts: after.at(-1)! }], broken, after };
  }

  /** Executes all calls through the function `run`, and reads the resulting state. @returns `undefined` if `run` resolves to `false` */
  async together(run: (call: (side: number) => Promise<void>) => Promise<boolean>, deliver?: Deliver): Promise<Execution | undefined> {
    await this.arrive();
    if (!(await run((side) => this.call(side, deliver)))) return undefined;
    const all = this.#sides.map((_, side) => side);
    const mergings = this.#mergings(all);
    const states: MergedState[] = [];
    // Read the merged states in reverse order, so that the lane ends in the first merged state. The rules are then checked in this state.
    for (const merged of mergings.toReversed()) states.unshift(await this.#observe(merged));
    const calls = this.#ends(new Set(all));
    // Check no rules after a lost call: a target that crashed or hangs would not answer the requests of the rules either.
    const broken = calls.some((call) => call?.kind === "lost") ? [] : await this.#brokenInEach(mergings);
    return { order: null, calls, states, broken, after: [] };
  }

  /**
   * Repeats the first call in the current state, like a client that retries. The repeated call uses the first call's context, credentials and test
   * data.
   */
  async again(): Promise<Execution> {
    this.#sides = this.#newSides();
    this.#restoreClients();
    await this.call(0);
    const state = await this.#observe([0]);
    return { order: [0], calls: this.#ends(new Set([0])), states: [state], broken: await this.check(), after: [state.facts] };
  }

  /**
   * Executes all calls with their requests interleaved: one request at a time. `turns` lists the calls in the order in which they send. Requests
   * without a turn are sent at the end. `changed` may change how the requests are sent.
   */
  async interleaved(turns: readonly number[], changed: (deliver: Deliver) => Deliver = (deliver) => deliver): Promise<Execution> {
    const line = new TakingTurns(turns);
    const run = async (call: (side: number) => Promise<void>): Promise<boolean> => {
      await Promise.all(this.#sides.map((_, side) => call(side).finally(() => line.leave(side))));
      return true;
    };
    const deliver: Deliver = (side, request, _route, send) => line.take(side, () => send(request));
    const execution = (await this.together(run, changed(deliver)))!;
    const gone = execution.calls.find((call) => call?.lost !== undefined);
    if (gone !== undefined) throw new LaneLost(gone.lost!, `${gone.action} got no answer`);
    return execution;
  }

  /** Returns how the call with this index ended; `undefined` if it has not been executed. */
  endOf(side: number): CallEnd | undefined {
    return this.#sides[side]!.end;
  }

  async call(side: number, deliver?: Deliver): Promise<void> {
    const called = this.#sides[side]!;
    await called.call(new RaceScope(side, new AbortController().signal, deliver));
    this.drew ||= called.drew;
  }

  /**
   * Checks the rules in the current state.
   * @returns the broken rules
   * @throws LaneLost if a request of a rule got no answer
   */
  async check(): Promise<Execution["broken"]> {
    const { checker, stepper, drawing } = this.#base;
    drawing.root("");
    stepper.checkFailure = undefined;
    await checker.checkAfter(this.#sides.map(({ action }) => action));
    const failure = stepper.checkFailure as { readonly reason: "timeout" | "unreachable" } | undefined;
    if (failure !== undefined) throw new LaneLost(failure.reason, "a request of a rule got no answer");
    return [...checker.checked.findings];
  }

  /**
   * Checks the rules. The lane must be in the state of the first merging.
   * @returns the rules that are broken in the states of all mergings. A rule that is broken in only some of these states may hold in the state of the
   * calls' actual order, for example a rule that sends the credentials of the last login.
   */
  async #brokenInEach([, ...others]: readonly (readonly number[])[]): Promise<Execution["broken"]> {
    let broken = await this.check();
    for (const merged of others) {
      if (broken.length === 0) break;
      await this.#observe(merged);
      const also = new Set((await this.check()).map(({ invariant }) => invariant));
      broken = broken.filter(({ invariant }) => also.has(invariant));
    }
    return broken;
  }

  /**
   * Returns the orders in which the changes of the calls to context and credentials are merged. If calls set the same context key, client or node to
   * different values, there is one order for each call that may be the last. If the calls have own data, there is every order, because a state of a trial
   * is compared only with the order in which its contexts were merged.
   */
  #mergings(all: readonly number[]): readonly (readonly number[])[] {
    const changes = this.#changes();
    const isConflict = (one: number, other: number): boolean =>
      conflict(changes[one]!, changes[other]!) || this.#sides[one]!.conflicts(this.#sides[other]!);
    const conflicting = all.some((one) => all.some((other) => other > one && isConflict(one, other)));
    if (conflicting && haveOwnData(this.#options)) return permutations(all);
    // One order for each last call is enough for calls that are alike, and for two calls, because the values of the last call replace earlier values.
    return conflicting ? all.map((last) => [...all.filter((side) => side !== last), last]).toReversed() : [all];
  }

  #changes(): readonly ContextChanges[] {
    return this.#sides.map(({ context }) => contextChanges(this.#saved!, contextPartOf(context).entries));
  }

  /** Merges the contexts and credentials of all calls in the given order, and returns the resulting state. */
  async #observe(merged: readonly number[]): Promise<MergedState> {
    const { ground } = this.#options;
    const { state, world } = this.#base;
    await ground.settle();
    const changes = this.#changes();
    const node = merged.reduce((at, side) => this.#sides[side]!.node ?? at, this.#saved!.node);
    contextPartOf(world.context).restore(
      mergedContext(
        this.#saved!,
        merged.map((side) => changes[side]!),
        node,
      ),
    );
    this.#restoreClients();
    for (const side of merged) {
      for (const { client, saved } of this.#sides[side]!.changedClients) state.clients[client]!.restore(saved);
      state.attribute(this.#sides[side]!.action.name);
    }
    const facts = copyOf(await state.observed(), this.#serial);
    return { merged, facts: { ...facts, executed: { ...this.#begun!, endMs: state.now() } } };
  }

  #newSides(): readonly Side[] {
    const { path, draws, sides } = this.#options;
    return sides.map((action, side) => new Side(this.#base, action, { path, draws, side }, this.#saved!));
  }

  #restoreClients(): void {
    this.#base.state.clients.forEach((client, index) => client.restore(this.#clients[index]));
  }

  #ends(called: ReadonlySet<number>): Execution["calls"] {
    return this.#sides.map((side, place) => (called.has(place) ? side.end : undefined));
  }
}

/** Copies the content of a state, because the lane reuses the object when it reads the next state. */
function copyOf(facts: Facts, serial: SerialColumns): Facts {
  const systems = Object.fromEntries(Object.entries(facts.systems).map(([name, observed]) => [name, copyOfOne(name, observed, serial)]));
  return { ...facts, systems, context: structuredClone(facts.context), clients: { ...facts.clients } };
}

function copyOfOne(system: string, observed: Observed, serial: SerialColumns): Observed {
  if (observed.kind === "value") return withoutOrder({ ...observed, value: structuredClone(observed.value) });
  // Simultaneous calls may write their rows in any order, so the order of rows is left out.
  const tables = observed.tables.map((table) => {
    const { name, added, removed } = table;
    return { name, columns: serial.marked(system, table, observed.tables), added: [...added], removed: [...removed] };
  });
  return { ...observed, tables };
}
