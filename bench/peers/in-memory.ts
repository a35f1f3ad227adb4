import { Context, type Action, type Agent, type Invariant, type World } from "seqqa";
import type { MemoryAdapter } from "seqqa/adapters/memory";

/**
 * The ledger in memory in the form that other tools need: its state can be read and set, and it has the actions and checks of
 * fixtures/ledger/memory.explore.ts.
 */
export class InMemory {
  readonly #world: World;
  readonly #db: MemoryAdapter;
  readonly #invariants: readonly Invariant[];
  readonly actions: readonly Action[];
  readonly #context: Context = new Context();

  constructor(declared: Agent) {
    // The function is called without a lane, because it does not use its parameter.
    this.#world = (declared.world as unknown as () => World)();
    this.#db = this.#world.systems["db"] as unknown as MemoryAdapter;
    this.actions = declared.actions;
    this.#invariants = declared.invariants;
  }

  get state(): unknown {
    return this.#db.state;
  }

  set state(state: unknown) {
    this.#db.state = state;
  }

  /** Executes an action and checks every invariant. @throws Error that names an invariant that does not hold */
  async step(action: Action): Promise<void> {
    await action.run(this.#world.api, this.#context);
    for (const invariant of this.#invariants) {
      if (!(await invariant.check(this.#world))) throw new Error(`${invariant.name} does not hold after ${action.name}.`);
    }
  }
}
