import type { Action, ExpectedStatus } from "./action.ts";
import type { ApiClient } from "../http/client.ts";
import type { Context } from "../context/context.ts";
import { SeqqaError } from "../errors.ts";
import { Invariant, type CheckAnswer, type InvariantOptions } from "./invariant.ts";
import type { ApiResponse } from "../http/response.ts";
import { refuseUnknown } from "./unknown-options.ts";
import type { World } from "./world.ts";

/** The contents of a world's stores at one time, for comparing two states. */
export interface StoresView {
  /**
   * A text that is equal for contents that count as the same state: generated ids are normalized, all times close to the time of the run count as
   * equal, and ignored fields are left out.
   */
  readonly fingerprint: string;
  /**
   * Returns `true` if another view of the same target's stores has the same contents. A generated value that was replaced with a newly generated
   * value is no difference. With `strict`, such a replacement is a difference if both views contain the row, for example a user whose password hash
   * was replaced. Replaced session values and form tokens are no difference even then.
   */
  same(other: StoresView, options?: { readonly strict?: boolean }): boolean;
  /**
   * Returns the fields, e.g. `orders.status`, whose values differ between this view and another view of the same target's stores. For an added or
   * removed row, all columns are returned.
   */
  changedFields(other: StoresView): readonly string[];
  /**
   * Compares the rows whose primary keys exist both in this view and in another view of the same target's stores. Returns the fields whose values
   * differ, e.g. `orders.status`, and for each table, e.g. `db.orders`, the number of rows that differ.
   */
  changedRows(other: StoresView): { readonly fields: readonly string[]; readonly counts: ReadonlyMap<string, number> };
  /**
   * The differences from the root state by table, e.g. `db.orders`. The inner map has the row as text, and how often the row was added (a positive
   * number) or removed (a negative number). A store without tables counts as a table with one row. A stub counts as a table of the calls or mails
   * that had an effect.
   */
  readonly tables: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /**
   * Returns the contents without the rows that contain one of the texts, such as the id of a session. The contents of stores without tables are
   * returned in full.
   */
  without(texts: readonly string[]): StoresView;
}

/** The step that led to the state in which a rule is judged. */
export interface CheckedStep {
  readonly action: {
    readonly name: string;
    readonly tags: readonly string[];
    readonly as: string | undefined;
    readonly expectedStatus: readonly ExpectedStatus[] | undefined;
  };
  /** The response that the action returned; `undefined` for an edge of a state graph that returned nothing. */
  readonly response: ApiResponse | undefined;
  /** All answers that the action received, in order. If `api` is not an HTTP client: only the returned response. */
  readonly answers: readonly ApiResponse[];
  /** `true` if the step changed the state of a store, the context or a client. */
  readonly changed: boolean;
  /** `true` if the state before the step can be restored while the step is judged. If `false`, the rule cannot return an {@link Earlier}. */
  readonly canGoBack: boolean;
  /** The client that the action received. */
  readonly client: ApiClient;
  /**
   * Sets the message of this violation, in place of the rule's message. Returns `false`, so that a check can end with `return step.explain(...)`.
   * Findings of the rule with an equal `cause` are reported as one finding, with a list of the affected actions. The cause must not contain values of
   * the target. `fields`: the fields of stores, if the violation consists only of changes to these fields. If late writes of the target also changed
   * each of these fields, the step is inconclusive instead of a violation.
   */
  explain(message: string, details?: { readonly cause?: string | undefined; readonly fields?: readonly string[] | undefined }): false;
  /**
   * Counts the step as a step that the rule cannot judge. The run's notes show the number of such steps and the reason. Returns `true`, so that a
   * check can end with `return step.inconclusive(...)`. `partly`: `true` if the rule judged a part of the step, so that only the rest is unknown.
   * Default `false`.
   */
  inconclusive(why: string, details?: { readonly partly?: boolean }): true;
  /** @deprecated Use {@link inconclusive}. */
  unjudged(why: string): true;
  /** Clients without credentials, as many as the rule's option `guests` says. Empty if seqqa cannot make a client for the target. */
  readonly guests: readonly ApiClient[];
  /**
   * Sends the request of an answer again, with the same method, URL, body and headers. Resolves to `undefined` if the request cannot be sent again:
   * the client is not an HTTP client, or the body was multipart or not UTF-8.
   */
  again(answer: ApiResponse, changes?: Resent): Promise<ApiResponse | undefined>;
  /**
   * Returns the current contents of the stores; `undefined` for a world without stores.
   * @param without Columns as `table.column`, and tables as `table.*` (or `store.*` for a store without tables), that are left out. Default: none.
   */
  stores(without?: readonly string[]): Promise<StoresView | undefined>;
}

/** The changes to a request that is sent again. Default: none. */
export interface Resent {
  /** Another client that sends the request. Headers that identify the first sender are replaced with the headers of this client. */
  readonly by?: ApiClient | undefined;
  readonly body?: string | undefined;
}

/**
 * A further part of a check. seqqa restores the state before the step, then runs this part. If this part returns another `Earlier`, seqqa restores
 * the state before the step again for that part.
 */
export interface Earlier {
  readonly earlier: (
    before: Pick<CheckedStep, "explain" | "inconclusive" | "stores" | "unjudged">,
  ) => CheckAnswer | Earlier | Promise<CheckAnswer | Earlier>;
}

/** A further part of a check. seqqa restores the state after the step, then runs this part. */
export interface Restored {
  readonly restored: () => CheckAnswer | Earlier | Restored | Promise<CheckAnswer | Earlier | Restored>;
}

/** Options of {@link Rule}. */
export interface RuleOptions<C extends object = never, A = never> extends Pick<
  InvariantOptions<C, A>,
  "name" | "message" | "severity" | "blocking" | "when"
> {
  /**
   * Judges a step in the state that the step led to. Returns `true` or `false`, a detailed result (see {@link CheckAnswer}), or a further part of the
   * check, which runs in the state before the step ({@link Earlier}) or again in the state after it ({@link Restored}). The check may call the API
   * and, with {@link writes}, change the data of the API. seqqa restores the state afterwards.
   */
  readonly judge: (world: World<C, A>, step: CheckedStep) => CheckAnswer | Earlier | Restored | Promise<CheckAnswer | Earlier | Restored>;
  /**
   * `true` if the rule makes calls that change data, or needs the state before the step. Default `false`. If the target cannot be restored during a
   * step, such a rule is not judged, and the run's notes say so.
   */
  readonly writes?: boolean;
  /** A built-in finding that this rule replaces. seqqa reports the built-in finding only if this rule is absent. */
  readonly replaces?: "server_errors";
  /** Returns actions that the rule adds to the agent's actions. */
  readonly brings?: (actions: readonly Action<C, A>[]) => readonly Action<C, A>[];
  /**
   * Names of the actions whose steps the rule judges. If none of them worked (status below 400) in a run, the rule counts as inconclusive, and a note
   * says why. An action that the rule {@link brings} counts as working if it got any answer. If the rule is inconclusive in every step in which one
   * of these actions worked, the run is unverified (exit code 3). Default: the actions that the rule brings.
   */
  readonly subjects?: readonly string[];
  /** The number of clients without credentials that the rule needs; see {@link CheckedStep.guests}. Default 0. */
  readonly guests?: number;
  /** Pairs of actions, by name, that are probed for races even if `exploration.races` is off. */
  readonly races?: readonly (readonly [string, string])[];
  /**
   * The roles that the rule needs, each with its login. Each login has its own client. Changes that a login makes to the context are discarded. If
   * several rules of an agent have a login for a role, the first one is used.
   */
  readonly users?: Readonly<Record<string, Login>>;
}

/** Logs a client in as a user, so that the client sends all later requests as this user. */
export type Login<A = ApiClient> = (api: A, context: Context) => Promise<unknown>;

const OPTIONS: readonly (keyof RuleOptions)[] = [
  "name",
  "message",
  "severity",
  "blocking",
  "when",
  "judge",
  "writes",
  "replaces",
  "brings",
  "subjects",
  "guests",
  "races",
  "users",
];

/** A rule about steps instead of states. It is judged after every step, even if the step changed nothing, and never in the root state. */
export class Rule<C extends object = never, A = never> extends Invariant<C, A> {
  readonly judge: RuleOptions<C, A>["judge"];
  readonly writes: boolean;
  readonly replaces: RuleOptions["replaces"];
  readonly brings: NonNullable<RuleOptions<C, A>["brings"]>;
  readonly users: Readonly<Record<string, Login>>;
  readonly guests: number;
  readonly races: readonly (readonly [string, string])[];
  readonly subjects: readonly string[];

  constructor(options: RuleOptions<C, A>) {
    super({ ...options, check: () => true });
    const which = `Rule "${options.name}"`;
    if (typeof options.judge !== "function") {
      throw new SeqqaError("INVARIANT_INVALID", `${which} needs a function judge(world, step).`, { exitStatus: 2 });
    }
    refuseUnknown(which, "INVARIANT_INVALID", { ...options, check: undefined }, OPTIONS);
    this.judge = options.judge;
    this.writes = options.writes ?? false;
    this.replaces = options.replaces;
    this.brings = options.brings ?? (() => []);
    this.users = options.users ?? {};
    this.guests = options.guests ?? 0;
    this.races = options.races ?? [];
    this.subjects = options.subjects ?? [];
  }
}

/** Returns the role name of a client without credentials that rules use. */
export function guestRole(index: number): string {
  return `(guest ${index + 1})`;
}

/** Returns `true` for role names that {@link guestRole} returns. */
export function isGuestRole(role: string): boolean {
  return role.startsWith("(guest ");
}
