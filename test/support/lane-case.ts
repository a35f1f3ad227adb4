import { expect } from "vitest";
import { MemoryAdapter } from "../../src/adapters/memory/index.ts";
import { copyPlain, samePlain } from "../../src/adapters/memory/plain-data.ts";
import {
  KIND_BITS,
  EXECUTED,
  FAILED,
  FINDING,
  HI,
  KIND,
  LO,
  ROW,
  SKIPPED,
  STATUS,
  type Expansion,
  type UnitRequest,
} from "../../src/messages/lane-messages.ts";
import type { LaneOptions } from "../../src/lane/index.ts";
import { Action, type ActionOptions } from "../../src/model/declare/action.ts";
import { AgentDefinition } from "../../src/model/declare/agent.ts";
import type { Context } from "../../src/model/context/context.ts";
import { Invariant, type InvariantOptions } from "../../src/model/declare/invariant.ts";
import { Rule } from "../../src/model/declare/rule.ts";
import type { LastLook, Observed, StoreTraits } from "../../src/model/stores/store-adapter.ts";
import { World } from "../../src/model/declare/world.ts";
import { ActingClient } from "./acting-client.ts";
import { laneOf } from "./lane-parts.ts";

export interface Stored {
  n: number;
}

/** A store in memory that a lane treats like a store in another process: the lane detects late writes and awaits all operations. */
class WatchedMemory extends MemoryAdapter<Stored> {
  override readonly traits: StoreTraits = { portable: true, commits: true };
}

/** A {@link WatchedMemory} that also keeps its last look, like a store on a server. */
export class LookingMemory extends WatchedMemory {
  /** Number of times that the store was read. */
  looks = 0;
  /** Called before the look that ends a restore. A test uses it to write to the store like another client. */
  onRestore: (() => void) | undefined;
  #top: { readonly value: Stored } = { value: copyPlain(this.state) };

  override mark(): never {
    return this.#look() as never;
  }

  override changed(mark: unknown): boolean {
    return this.#look() !== mark;
  }

  override restore(mark: unknown): void {
    super.restore((mark as { readonly value: Stored }).value);
    this.#top = mark as { readonly value: Stored };
    this.onRestore?.();
    this.#look();
  }

  override observe(): Observed {
    this.#look();
    return super.observe();
  }

  lastLook(): LastLook {
    const seen = this.#top;
    return {
      mark: seen,
      observe: () => ({ kind: "value", value: seen.value }),
      capture: () => copyPlain(seen.value),
      restore: async (mark) => {
        if (this.#look() !== seen) return false;
        if (mark !== seen) this.restore(mark);
        return true;
      },
    };
  }

  #look(): { readonly value: Stored } {
    this.looks++;
    if (!samePlain(this.state, this.#top.value)) this.#top = { value: copyPlain(this.state) };
    return this.#top;
  }
}

/** The objects that the actions and checks of a case may use. */
export interface Hands {
  readonly store: MemoryAdapter<Stored>;
  readonly context: Context<Record<string, unknown>>;
  readonly client: ActingClient;
}

export interface LaneCase {
  /** The actions. Their names are a0, a1, and so on. */
  readonly actions: readonly (Partial<Omit<ActionOptions<Record<string, unknown>, ActingClient>, "run" | "precondition">> & {
    readonly run: (hands: Hands, api: ActingClient) => unknown;
    readonly precondition?: (context: Context<Record<string, unknown>>) => unknown;
  })[];
  readonly invariants?: readonly (Partial<Omit<InvariantOptions, "check">> & {
    readonly name: string;
    readonly check: (hands: Hands) => unknown;
  })[];
  readonly rules?: readonly { readonly name: string; readonly judge: (hands: Hands) => unknown }[];
  readonly clients?: Readonly<Record<string, ActingClient>>;
  readonly options?: Partial<LaneOptions>;
  /** The initial values of the context. Default: a list. */
  readonly context?: Readonly<Record<string, unknown>>;
  /** `true`: the store is a {@link WatchedMemory}. `looks`: it is a {@link LookingMemory}. */
  readonly watched?: boolean | "looks";
}

export interface CaseRow {
  readonly kind: "executed" | "skipped" | "failed" | "broken";
  readonly status: number;
  readonly found: boolean;
  /** `true` if the step ended in the state in which it began. */
  readonly same: boolean;
  readonly lo: number;
  readonly hi: number;
}

export interface CaseResult {
  readonly expansion: Expansion;
  readonly rows: readonly CaseRow[];
  readonly findings: readonly string[];
  readonly errors: readonly {
    readonly code: string;
    readonly message: string;
    readonly source: string;
    readonly stack: string | undefined;
  }[];
}

export interface CaseLane extends Hands {
  readonly lane: Awaited<ReturnType<typeof laneOf>>;
  /** Expands a node. Default: the root, with all actions. Expects that everything was restored. */
  expand(unit?: Partial<UnitRequest>): Promise<CaseResult>;
}

/** Returns a lane with its store, context and client. In the root state, `n` is 0, the context has a list, and there is no token. */
export async function laneCase(given: LaneCase): Promise<CaseLane> {
  const Store = given.watched === "looks" ? LookingMemory : given.watched === true ? WatchedMemory : MemoryAdapter<Stored>;
  const store = new Store({ state: { n: 0 } });
  const client = new ActingClient();
  const world = new World<Record<string, unknown>, ActingClient>({
    api: client,
    systems: { store },
    context: given.context ?? { list: [1] },
    clients: given.clients ?? {},
  });
  const hands: Hands = { store, context: world.context, client };
  const definition = new AgentDefinition<Record<string, unknown>, ActingClient>({
    world,
    actions: given.actions.map(
      ({ run, ...rest }, index) =>
        new Action<Record<string, unknown>, ActingClient>({
          name: `a${index}`,
          ...(rest as object),
          run: (async (api: ActingClient) => run(hands, api)) as never,
        }),
    ),
    invariants: [
      ...(given.invariants ?? []).map(
        ({ check, ...rest }) => new Invariant<Record<string, unknown>, ActingClient>({ ...rest, check: () => check(hands) as boolean }),
      ),
      ...(given.rules ?? []).map(
        ({ name, judge }) => new Rule<Record<string, unknown>, ActingClient>({ name, judge: () => judge(hands) as boolean }),
      ),
    ],
  });
  const lane = await laneOf(definition, given.options);
  const { rootLo: lo, rootHi: hi } = lane.base.report;
  const expand = async (unit: Partial<UnitRequest> = {}): Promise<CaseResult> => {
    const request: UnitRequest = {
      path: [],
      from: 0,
      to: given.actions.length,
      lo,
      hi,
      snapshot: undefined,
      ...unit,
    } as UnitRequest;
    const expansion = await lane.runtime.expand({ units: [request], direct: true });
    if (request.path.length === 0 && expansion.failure === undefined) {
      // All changes of the branch must be undone.
      expect(store.state).toEqual({ n: 0 });
      expect(world.context.toJSON()).toEqual(given.context ?? { list: [1] });
      expect(client.token).toBeNull();
    }
    return {
      expansion,
      rows: decode(expansion.rows, request),
      findings: expansion.stepEvents.flatMap(({ findings }) => findings.map(({ invariant }) => invariant)),
      errors: expansion.stepEvents.flatMap(({ errors }) => errors),
    };
  };
  return { lane, ...hands, expand };
}

/** Changes all parts of a state that an action can change. */
export function mess({ store, context, client }: Hands): void {
  store.state.n++;
  (context["list"] as number[]).push(2);
  context.set("more", { deep: 1 });
  client.setAuthToken("token");
}

function decode(rows: Int32Array, unit: UnitRequest): CaseRow[] {
  return Array.from({ length: rows.length / ROW }, (_, i) => {
    const at = i * ROW;
    const kind = rows[at + KIND]! & KIND_BITS;
    const lo = rows[at + LO]!;
    const hi = rows[at + HI]!;
    return {
      kind: kind === EXECUTED ? "executed" : kind === SKIPPED ? "skipped" : kind === FAILED ? "failed" : "broken",
      status: rows[at + STATUS]!,
      found: (rows[at + KIND]! & FINDING) !== 0,
      same: lo === unit.lo && hi === unit.hi,
      lo,
      hi,
    };
  });
}
