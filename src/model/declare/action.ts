import { SeqqaError } from "../errors.ts";
import type { ApiClient } from "../http/client.ts";
import type { Context, Values } from "../context/context.ts";
import { graphqlServerError, type GraphqlExchange } from "../http/graphql-answer.ts";
import type { ApiResponse } from "../http/response.ts";
import { refuseUnknown } from "./unknown-options.ts";

/** A status that an action expects: a number, or a class such as `"2xx"`. */
export type ExpectedStatus = number | `${1 | 2 | 3 | 4 | 5}xx`;

/** Options of {@link Action}. */
export interface ActionOptions<C extends object = Values, A = ApiClient> {
  /** The name of the action. Reports and reproduction paths show it. */
  readonly name: string;
  /** Makes the call and returns its response. `null` means that the action does not apply in this state, and the step is skipped. */
  readonly run: (api: A, context: Context<C>) => Promise<ApiResponse | null>;
  /** Returns `false` to skip the action without calling `run`. */
  readonly precondition?: (context: Context<C>) => boolean;
  /**
   * The correct statuses. A returned response with any other status is a HIGH violation `<name>_status`. `"4xx"` includes a GraphQL answer that has
   * errors and no data, because GraphQL servers refuse with status 200. Default: any status is correct.
   */
  readonly expectedStatus?: ExpectedStatus | readonly ExpectedStatus[];
  /** The role in `world.clients` whose client `run` receives as `api`. Default: the world's own client. */
  readonly as?: string;
  /** A text that reports show beside the name. Default: none. */
  readonly description?: string;
  /** Words by which rules select actions, e.g. `admin`. Default: none. */
  readonly tags?: readonly string[];
  /** `true` if the action need not apply in any state. Default `false`: a run in which the action never applied is unverified (exit code 3). */
  readonly mayNeverApply?: boolean;
  /**
   * `true` if the action need not get a status below 400 in any step. Default `false`: a run in which the action never got such a status is
   * unverified (exit code 3).
   */
  readonly mayNeverSucceed?: boolean;
  /**
   * `true` if the action writes nothing although it sends a POST, PUT, PATCH or DELETE, such as a search or a preview. Default `false`: the action is
   * expected to write. If no write of the action in the whole run changed the observed state, the run is unverified (exit code 3).
   */
  readonly changesNothing?: boolean;
  /**
   * The names of stores that the code of `run` changes without the target, e.g. because it takes a job from a queue or a mail from a stub. Default:
   * none. Rules do not compare these stores after a step of this action. With `--faults`, the comparison after a failed write of this action leaves
   * these stores out, too.
   */
  readonly changesStores?: readonly string[];
}

const OPTIONS: readonly (keyof ActionOptions)[] = [
  "name",
  "run",
  "precondition",
  "expectedStatus",
  "as",
  "description",
  "tags",
  "mayNeverApply",
  "mayNeverSucceed",
  "changesNothing",
  "changesStores",
];

/** A call that a user of the API can make. */
export class Action<C extends object = Values, A = ApiClient> {
  readonly name: string;
  readonly run: (api: A, context: Context<C>) => Promise<ApiResponse | null>;
  readonly precondition: ((context: Context<C>) => boolean) | undefined;
  readonly expectedStatus: readonly ExpectedStatus[] | undefined;
  readonly as: string | undefined;
  readonly description: string | undefined;
  readonly tags: readonly string[];
  readonly mayNeverApply: boolean;
  readonly mayNeverSucceed: boolean;
  readonly changesNothing: boolean;
  readonly changesStores: readonly string[];
  /**
   * A stack trace of the declaration. Findings about a wrong status show the line of the declaration, because no line of user code threw an error.
   */
  readonly declared: string | undefined;

  /** @throws SeqqaError `ACTION_INVALID` if the name is empty, `run` is not a function, or an option is unknown or invalid */
  constructor(options: ActionOptions<C, A>) {
    if (typeof options.name !== "string" || options.name.trim() === "") {
      throw new SeqqaError("ACTION_INVALID", "An Action needs a name that is not empty.", {
        exitStatus: 2,
        hint: 'Write new Action({ name: "create_order", run: (api, context) => api.post("/orders") }).',
      });
    }
    if (typeof options.run !== "function") {
      throw new SeqqaError("ACTION_INVALID", `Action "${options.name}" needs a function run(api, context).`, {
        exitStatus: 2,
        hint: 'Write run: (api, context) => api.post("/orders").',
      });
    }
    refuseUnknown(`Action "${options.name}"`, "ACTION_INVALID", options, OPTIONS);
    const { precondition } = options;
    if (precondition !== undefined && (typeof precondition !== "function" || precondition.length > 1)) {
      const wrong =
        typeof precondition === "function"
          ? `has ${precondition.length} parameters, but seqqa passes only one argument, the context`
          : "is not a function";
      throw new SeqqaError("ACTION_INVALID", `The precondition of action "${options.name}" ${wrong}.`, {
        exitStatus: 2,
        hint: 'Write precondition: (context) => context.has("order_id").',
      });
    }
    this.name = options.name;
    this.run = options.run;
    this.precondition = options.precondition;
    this.expectedStatus =
      options.expectedStatus === undefined
        ? undefined
        : checkedStatuses(`The expectedStatus of action "${options.name}"`, "ACTION_INVALID", options.expectedStatus);
    this.as = options.as;
    this.description = options.description;
    this.tags = options.tags ?? [];
    this.mayNeverApply = options.mayNeverApply === true;
    this.mayNeverSucceed = options.mayNeverSucceed === true;
    this.changesNothing = options.changesNothing === true;
    this.changesStores = options.changesStores ?? [];
    this.declared = new Error().stack;
  }
}

/**
 * Returns a list of statuses that a user wrote. An invalid status is refused, because it would match no answer or wrong answers: `"503"` would match
 * every 5xx.
 * @param what the subject of the error message, e.g. `The expectedStatus of action "pay"`
 * @throws SeqqaError with `code`
 */
export function checkedStatuses(what: string, code: string, given: unknown): readonly ExpectedStatus[] {
  const all: readonly unknown[] = Array.isArray(given) ? given : [given];
  const isStatus = (one: unknown): boolean =>
    typeof one === "number" ? Number.isInteger(one) && one >= 100 && one < 600 : typeof one === "string" && /^[1-5]xx$/.test(one);
  const wrong = all.find((one) => !isStatus(one));
  if (wrong === undefined && all.length > 0) return all as readonly ExpectedStatus[];
  throw new SeqqaError(
    code,
    `${what} ${all.length === 0 ? "is an empty list" : `includes ${JSON.stringify(wrong)}, which is not an HTTP status`}.`,
    {
      exitStatus: 2,
      hint: 'Write a status such as 201, a class such as "2xx", or a list of these, or remove the option.',
    },
  );
}

/**
 * Describes the first server error in the answers to an action, such as `status 500`. Returns `undefined` if there is no server error, or if it was
 * expected. An error that a GraphQL server reports with status 200 counts as status 500.
 */
export function serverErrorIn(answers: readonly GraphqlExchange[], expected: readonly ExpectedStatus[]): string | undefined {
  const worst = answers.find(({ statusCode }) => statusCode >= 500 && !isExpected(statusCode, expected));
  if (worst !== undefined) return `status ${worst.statusCode}`;
  const failure = isExpected(500, expected) ? undefined : answers.map(graphqlServerError).find((one) => one !== undefined);
  return failure === undefined ? undefined : `a server error of GraphQL: ${failure}`;
}

/** Returns `true` if an answer reports a failure of the server: by a status of 500 or above, or by an error of GraphQL. */
export function isServerError(answer: ApiResponse): boolean {
  return answer.statusCode >= 500 || graphqlServerError(answer) !== undefined;
}

/** Returns `true` if a status is one of the expected statuses. */
export function isExpected(status: number, expected: readonly ExpectedStatus[]): boolean {
  return expected.some((one) => (typeof one === "number" ? one === status : Math.floor(status / 100) === Number(one[0])));
}
