import type { Action, ExpectedStatus } from "./action.ts";
import type { ApiClient } from "../http/client.ts";
import type { Context } from "../context/context.ts";
import { Invariant, type InvariantOptions } from "./invariant.ts";
import type { ApiResponse } from "../http/response.ts";
import type { World } from "./world.ts";

/** What the stores of a world hold, for comparing one state with another. */
export interface StoresView {
  /** Equal for states that are one by the rules of state identity: fresh ids have no names, times near the run are one, what is ignored is left out. */
  readonly fingerprint: string;
  /** Returns `true` for another state of the same target with the same stores, but for new generated values in the place of ones that are gone. */
  same(other: StoresView): boolean;
  /** How each table (as `db.orders`) differs from the root state: its rows as texts, and how many of each there are more or less. A store without tables is one of one row. */
  readonly tables: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

/** The step that led to the state in which a rule is judged. */
export interface CheckedStep {
  readonly action: {
    readonly name: string;
    readonly tags: readonly string[];
    readonly as: string | undefined;
    readonly expectedStatus: readonly ExpectedStatus[] | undefined;
  };
  /** What the action returned; `undefined` for an edge of a state graph that returned nothing. */
  readonly response: ApiResponse | undefined;
  /** Every answer that the action received, in order; where `api` is no HTTP client, the returned one. */
  readonly answers: readonly ApiResponse[];
  /** Whether it led to another state: stores, context or clients. */
  readonly changed: boolean;
  /** Whether the state that the step began in can be had again in the middle of it: else there is no {@link Earlier}. */
  readonly canGoBack: boolean;
  /** The client that the action was given. */
  readonly client: ApiClient;
  /** Why the rule does not hold; shown in place of the rule's message. Returns `false`, so that a check can return it. */
  explain(message: string): false;
  /** Counts the step among those that the rule cannot judge: the run's notes say how many, and why. Returns `true`, so that a check can return it. */
  inconclusive(why: string): true;
  /** @deprecated Use {@link inconclusive}. */
  unjudged(why: string): true;
  /** Sends an answer's request again: method, URL, body and headers. `undefined` where that cannot be done: no HTTP, or a multipart body. */
  again(answer: ApiResponse): Promise<ApiResponse | undefined>;
  /** What the stores hold now. `undefined` for a world without stores. */
  stores(): Promise<StoresView | undefined>;
}

/** The second half of a check, which runs where the step began. */
export interface Earlier {
  readonly earlier: (before: Pick<CheckedStep, "explain" | "inconclusive" | "stores" | "unjudged">) => boolean | Promise<boolean>;
}

export interface RuleOptions<C extends object = never, A = never> extends Pick<
  InvariantOptions<C, A>,
  "name" | "message" | "severity" | "blocking" | "when"
> {
  /**
   * Judges a step, in the state that it led to: whether the rule holds, or what is to be asked yet in the state that it began in. It may call the API, and with {@link writes} change it: everything
   * is put back.
   */
  readonly judge: (world: World<C, A>, step: CheckedStep) => boolean | Earlier | Promise<boolean | Earlier>;
  /** It calls what changes the API, or asks in the state that the step began in. Where the target cannot be put back in the middle, it is not judged, and the run says so. Default: no. */
  readonly writes?: boolean;
  /** A finding that seqqa makes without it, and does not beside it. */
  readonly replaces?: "server_errors";
  /** Actions that it adds to the agent's. */
  readonly brings?: (actions: readonly Action<C, A>[]) => readonly Action<C, A>[];
  /** Roles that it needs, and how each logs in: with a client of its own, and a context of which nothing is kept. */
  readonly users?: Readonly<Record<string, Login>>;
}

/** Makes a client act as a user from then on. */
export type Login<A = ApiClient> = (api: A, context: Context) => Promise<unknown>;

/** An invariant that is about steps, and not about states: it is judged after every step, also one that changed nothing, and never in the root state. */
export class Rule<C extends object = never, A = never> extends Invariant<C, A> {
  readonly judge: RuleOptions<C, A>["judge"];
  readonly writes: boolean;
  readonly replaces: RuleOptions["replaces"];
  readonly brings: NonNullable<RuleOptions<C, A>["brings"]>;
  readonly users: Readonly<Record<string, Login>>;

  constructor(options: RuleOptions<C, A>) {
    super({ ...options, check: () => true });
    this.judge = options.judge;
    this.writes = options.writes ?? false;
    this.replaces = options.replaces;
    this.brings = options.brings ?? (() => []);
    this.users = options.users ?? {};
  }
}
