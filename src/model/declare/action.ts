import { SeqqaError } from "../errors.ts";
import type { ApiClient } from "../http/client.ts";
import type { Context, Values } from "../context/context.ts";
import type { ApiResponse } from "../http/response.ts";
import { refuseUnknown } from "./unknown-options.ts";

/** A status that an action expects: a number, or a class such as `"2xx"`. */
export type ExpectedStatus = number | `${1 | 2 | 3 | 4 | 5}xx`;

/** Options of {@link Action}. */
export interface ActionOptions<C extends object = Values, A = ApiClient> {
  /** Identifies the action; appears in reproduction paths. */
  readonly name: string;
  /** Makes the call and returns its response. `null` means that the action is not applicable in this state and is skipped. */
  readonly run: (api: A, context: Context<C>) => Promise<ApiResponse | null>;
  /** `false` skips the action without calling `run`. */
  readonly precondition?: (context: Context<C>) => boolean;
  /** Any other status of the returned response is a HIGH violation `<name>_status`. */
  readonly expectedStatus?: ExpectedStatus | readonly ExpectedStatus[];
  /** The role of `world.clients` whose client `run` receives as `api`. */
  readonly as?: string;
  /** Told in reports beside the name. Default: none. */
  readonly description?: string;
  /** Words that rules can select actions by, e.g. `admin`. Default: none. */
  readonly tags?: readonly string[];
  /** The action may apply in no state. Default `false`: a run in which it never applied is unverified (exit code 3). */
  readonly mayNeverApply?: boolean;
  /** The action may be refused each time. Default `false`: a run in which it never got a status below 400 is unverified (exit code 3). */
  readonly mayNeverSucceed?: boolean;
  /**
   * The action writes nothing, although it sends a POST, PUT, PATCH or DELETE: a search, a preview. Default `false`: a run in which no such call
   * changes anything visible is unverified (exit code 3).
   */
  readonly changesNothing?: boolean;
  /**
   * Names of stores that `run` changes itself: it takes a job from a queue, or a mail from a stub. A write of the target that fails during this action
   * (`--faults`) is judged by the other stores. Default: none.
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

/** One call that a user of the API can make. */
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
  /** A stack that leads to the declaration. Findings about a wrong status point to it, because such a status has no line of its own. */
  readonly declared: string | undefined;

  /** @throws SeqqaError `ACTION_INVALID` when the name is empty, `run` is not a function, or an option is unknown or wrong. */
  constructor(options: ActionOptions<C, A>) {
    if (typeof options.name !== "string" || options.name.trim() === "") {
      throw new SeqqaError("ACTION_INVALID", "An Action needs a name that is not empty.", { exitStatus: 2 });
    }
    if (typeof options.run !== "function") {
      throw new SeqqaError("ACTION_INVALID", `Action "${options.name}" needs a function run(api, context).`, { exitStatus: 2 });
    }
    refuseUnknown(`Action "${options.name}"`, "ACTION_INVALID", options, OPTIONS);
    this.name = options.name;
    this.run = options.run;
    this.precondition = options.precondition;
    this.expectedStatus = expectedStatusOf(options.name, options.expectedStatus);
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

/** @throws SeqqaError `ACTION_INVALID` for what is no status: with it, every answer would be a finding */
function expectedStatusOf(name: string, given: ActionOptions["expectedStatus"]): readonly ExpectedStatus[] | undefined {
  if (given === undefined) return undefined;
  const all: readonly unknown[] = Array.isArray(given) ? given : [given];
  const isStatus = (one: unknown): boolean =>
    typeof one === "number" ? Number.isInteger(one) && one >= 100 && one < 600 : typeof one === "string" && /^[1-5]xx$/.test(one);
  const wrong = all.find((one) => !isStatus(one));
  if (wrong === undefined && all.length > 0) return all as readonly ExpectedStatus[];
  const what = all.length === 0 ? "an empty list" : JSON.stringify(wrong);
  throw new SeqqaError("ACTION_INVALID", `The expectedStatus of action "${name}" is ${what}.`, {
    exitStatus: 2,
    hint: 'Write a status (201), a class ("2xx"), or a list of them; leave it out where any status is right.',
  });
}

/** Returns `true` if a status is one of the expected ones. */
export function isExpected(status: number, expected: readonly ExpectedStatus[]): boolean {
  return expected.some((one) => (typeof one === "number" ? one === status : Math.floor(status / 100) === Number(one[0])));
}
