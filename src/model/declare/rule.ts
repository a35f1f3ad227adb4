import type { Action, ExpectedStatus } from "./action.ts";
import type { ApiClient } from "../http/client.ts";
import type { Context } from "../context/context.ts";
import { Invariant, type CheckAnswer, type InvariantOptions } from "./invariant.ts";
import type { ApiResponse } from "../http/response.ts";
import type { World } from "./world.ts";

/** The contents of a world's stores, for comparing one state with another. */
export interface StoresView {
  /**
   * Equal for states that are one state by the rules of state identity: fresh ids have no names, times near the run are equal, ignored fields are
   * left out.
   */
  readonly fingerprint: string;
  /**
   * Returns `true` if another state of the same target has the same contents of its stores. New generated values in the place of values that are
   * gone make no difference.
   */
  same(other: StoresView): boolean;
  /**
   * How each table (as `db.orders`) differs from the root state: its rows as texts, and the number by which each row is more or less frequent. A
   * store without tables is a table of one row.
   */
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
  /** The value that the action returned; `undefined` for an edge of a state graph that returned nothing. */
  readonly response: ApiResponse | undefined;
  /** Every answer that the action received, in order. If `api` is no HTTP client, only the returned answer. */
  readonly answers: readonly ApiResponse[];
  /** `true` if the step led to another state: of stores, context or clients. */
  readonly changed: boolean;
  /** `true` if the state that the step began in can be restored during the step. Without that there is no {@link Earlier}. */
  readonly canGoBack: boolean;
  /** The client that the action was given. */
  readonly client: ApiClient;
  /**
   * Sets the reason why the rule does not hold, which replaces the rule's message. Returns `false`, so that a check can return it. `cause`: findings of
   * the rule with an equal cause are reported as one, with a list of the actions that show it. It must not depend on values of the target.
   */
  explain(message: string, details?: { readonly cause?: string | undefined }): false;
  /**
   * Counts the step among those that the rule cannot judge; the run's notes have their number and the reason. Returns `true`, so that a check can
   * return it.
   */
  inconclusive(why: string): true;
  /** @deprecated Use {@link inconclusive}. */
  unjudged(why: string): true;
  /** Clients without credentials, as many as the rule asked for with `guests`; none where there is no target that a client could be made for. */
  readonly guests: readonly ApiClient[];
  /** Sends an answer's request again: method, URL, body and headers. `undefined` where that is not possible: no HTTP, or a multipart body. */
  again(answer: ApiResponse, changes?: Resent): Promise<ApiResponse | undefined>;
  /** The present contents of the stores; `undefined` for a world without stores. */
  stores(): Promise<StoresView | undefined>;
}

/** The difference between a request that is sent again and its first sending. Default: none. */
export interface Resent {
  /** Another client: headers that tell who sent the request are left out, and those of this client are sent. */
  readonly by?: ApiClient | undefined;
  readonly body?: string | undefined;
}

/** The second half of a check, which runs in the state that the step began in. */
export interface Earlier {
  readonly earlier: (before: Pick<CheckedStep, "explain" | "inconclusive" | "stores" | "unjudged">) => CheckAnswer | Promise<CheckAnswer>;
}

/** Options of {@link Rule}. */
export interface RuleOptions<C extends object = never, A = never> extends Pick<
  InvariantOptions<C, A>,
  "name" | "message" | "severity" | "blocking" | "when"
> {
  /**
   * Judges a step in the state that it led to. Returns `true` if the rule holds, `false` if it does not, the same in detail (see
   * {@link CheckAnswer}), or a second half of the check for the state that the step began in. The check may call the API and, with {@link writes}, change it: everything is restored.
   */
  readonly judge: (world: World<C, A>, step: CheckedStep) => CheckAnswer | Earlier | Promise<CheckAnswer | Earlier>;
  /**
   * The rule calls what changes the API, or needs the state that the step began in. If the target cannot be restored during a step, the rule is not
   * judged, and the run says so. Default: no.
   */
  readonly writes?: boolean;
  /** A built-in finding that this rule replaces. seqqa reports that finding only without this rule. */
  readonly replaces?: "server_errors";
  /** Returns actions that the rule adds to the agent's. */
  readonly brings?: (actions: readonly Action<C, A>[]) => readonly Action<C, A>[];
  /** The number of clients without credentials that the rule needs, see {@link CheckedStep.guests}. Default 0. */
  readonly guests?: number;
  /** Pairs of actions, by their names, that are probed for races whatever `exploration.races` says. */
  readonly races?: readonly (readonly [string, string])[];
  /** Roles that the rule needs, and the login of each. A login has a client of its own; changes that it makes to the context are dropped. */
  readonly users?: Readonly<Record<string, Login>>;
}

/** Makes a client act as a user from then on. */
export type Login<A = ApiClient> = (api: A, context: Context) => Promise<unknown>;

/** An invariant about steps, not about states. It is judged after every step, also after one that changed nothing, and never in the root state. */
export class Rule<C extends object = never, A = never> extends Invariant<C, A> {
  readonly judge: RuleOptions<C, A>["judge"];
  readonly writes: boolean;
  readonly replaces: RuleOptions["replaces"];
  readonly brings: NonNullable<RuleOptions<C, A>["brings"]>;
  readonly users: Readonly<Record<string, Login>>;
  readonly guests: number;
  readonly races: readonly (readonly [string, string])[];

  constructor(options: RuleOptions<C, A>) {
    super({ ...options, check: () => true });
    this.judge = options.judge;
    this.writes = options.writes ?? false;
    this.replaces = options.replaces;
    this.brings = options.brings ?? (() => []);
    this.users = options.users ?? {};
    this.guests = options.guests ?? 0;
    this.races = options.races ?? [];
  }
}

/** Returns the role of a client without credentials that rules use. */
export function guestRole(index: number): string {
  return `(guest ${index + 1})`;
}

/** Returns `true` for a role of {@link guestRole}. */
export function isGuestRole(role: string): boolean {
  return role.startsWith("(guest ");
}
