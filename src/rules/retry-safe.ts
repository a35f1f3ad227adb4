import { clientPartOf, type ApiClient } from "../model/http/client.ts";
import type { Values } from "../model/context/context.ts";
import { SeqqaError } from "../model/errors.ts";
import type { Action } from "../model/declare/action.ts";
import { EdgeAction } from "../model/declare/state-graph/edge-action.ts";
import { Rule, type CheckedStep, type Restored, type StoresView } from "../model/declare/rule.ts";
import type { ApiResponse } from "../model/http/response.ts";
import { readFieldOfKind } from "../model/stores/field-of-kind.ts";
import type { StoreAdapter } from "../model/stores/store-adapter.ts";
import { Severity } from "../model/declare/severity.ts";
import { isObject, jsonOf, type Item } from "./answers/answer-content.ts";
import { isDone, isFailure, pathOf, shownPath, writesOf } from "./requests.ts";
import { hasAny, rowsOnlyIn } from "./given-codes.ts";
import { repeats, storeChanges } from "./store-changes.ts";
import { call, UNANSWERED, versionOf, type Calling } from "./called-actions.ts";
import { requireAction, requireList, requireOptions } from "./rule-options.ts";

/** Options of {@link retrySafe}. */
export interface RetrySafeOptions {
  /** The header that carries the idempotency key. Default: `Idempotency-Key`. */
  readonly header?: string;
  /** Names of actions after which the target may forget a key, such as an action that deletes all data. Default: none. */
  readonly except?: readonly string[];
}

/**
 * Statuses with which the repeated request may be answered without a finding. Such statuses are about permissions, rate limits, a request in
 * progress, or a state that has changed since the first request.
 */
const NO_STATEMENT = new Set([401, 403, 408, 409, 412, 422, 425, 428, 429]);

/**
 * Checks that a repeated request with an idempotency key has no further effect, as needed by a client that did not receive the first answer.
 * Severity: HIGH. After a step whose only writing request has the key and was answered 2xx (not 202), the same request (method, URL, headers, body)
 * is sent again:
 * - The second request leaves the stores unchanged. Stores are compared as states are: times near the run are equal, and tables and columns in
 *   `ignore` are left out.
 * - The second request is answered 2xx. 409 and 422 are not findings, because the IETF draft defines them for a request in progress and for a key
 *   that another request used. 401, 403, 408, 412, 425, 428, 429, 501, 503 and 3xx are no findings either. Every other 4xx or 5xx is a finding.
 * - If both answers are 2xx and have a `Location`, both values are equal. If both answers are JSON objects, each `id` or `uuid` that both have is
 *   equal. Only ids at the top level, or one object below it (such as `data`), are compared. Objects such as `meta`, `request` and `trace` are left
 *   out.
 *
 * Then each action, such as a refund, is called once after the step, and the request is sent once more. The request must not have its effect again: a
 * change of the stores is a finding if it writes a value that the stores had after the step. The status of the answer does not matter. An action is
 * left out if it moves the target's clock (keys may expire), sends the same key, only deletes rows that contain the key, or is answered
 * 202. Actions of state graphs, actions with `changesStores`, and actions in `except` are left out, too.
 *
 * Columns whose names say that they count or date repeated requests, such as `replays` and `last_seen`, are allowed to change. A request without the
 * header is not judged. The rule is inconclusive if the request cannot be sent again, because its body was multipart or not valid UTF-8. The draft is
 * IETF draft-ietf-httpapi-idempotency-key-header.
 * @throws SeqqaError `RULE_INVALID` if `header` is not the name of a header
 */
export function retrySafe<C extends object = Values, A = ApiClient>(options: RetrySafeOptions = {}): Rule<C, A> {
  requireOptions<keyof RetrySafeOptions>("retrySafe", options, { header: true, except: true });
  requireList("retrySafe", "except", options.except, '["delete_everything"]');
  const { header = "Idempotency-Key", except = [] } = options;
  if (typeof header !== "string" || !/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(header)) {
    throw new SeqqaError("RULE_INVALID", "retrySafe: `header` is not the name of a header.", {
      exitStatus: 2,
      hint: 'Give the name of a header, such as "X-Request-Key". The default is "Idempotency-Key".',
    });
  }
  const name = header.toLowerCase();
  let called: readonly Action<C, A>[] = [];
  return new Rule<C, A>({
    name: "retry_safe",
    message: "a request with an idempotency key had a different effect when it was sent again",
    severity: Severity.HIGH,
    writes: true,
    brings: (actions) => {
      for (const one of except) requireAction(actions, "retrySafe", one);
      called = actions.filter((one) => !except.includes(one.name) && one.changesStores.length === 0 && !(one instanceof EdgeAction));
      return [];
    },
    judge: async (world, step) => {
      const { action, answers, client, again, stores, explain, inconclusive } = step;
      const [answer, ...others] = writesOf(answers);
      if (answer === undefined || others.length > 0 || !isDone(answer) || keyOf(answer, name) === undefined) return true;
      const path = pathOf(client, answer);
      const before = path === undefined ? undefined : await stores();
      if (path === undefined || before === undefined) return true;
      const second = await again(answer);
      if (second === undefined) return inconclusive("seqqa cannot send the request of the step again");
      const request = `${answer.request.method} ${shownPath(path)} with the same ${header}`;
      const what = `${action.name}: ${request} was answered ${answer.statusCode} the first time and ${second.statusCode} the second time`;
      const after = (await stores())!;
      const fields = effectOf(before, after);
      if (fields !== undefined) {
        return explain(`${what}, and the second request changed the stores: ${storeChanges(before, after)}`, { fields });
      }
      if (isRefusal(second.statusCode)) return explain(what);
      const other = second.ok ? differentId(answer, second) : undefined;
      if (other !== undefined) return explain(`${what}, and the second answer has a different ${other}`);
      return new Retry(world as never, step, answer, name).after(called as never);
    },
  });
}

/** Sends a request with an idempotency key again, after other actions were called. */
class Retry {
  readonly #world: Retrying;
  readonly #step: CheckedStep;
  readonly #first: ApiResponse;
  readonly #header: string;

  constructor(world: Retrying, step: CheckedStep, first: ApiResponse, header: string) {
    this.#world = world;
    this.#step = step;
    this.#first = first;
    this.#header = header;
  }

  /**
   * Calls actions in the state after the step, and judges the first action that changes something. The actions after it need a restored state: the
   * returned {@link Restored} tries them.
   */
  async after(actions: readonly Action[]): Promise<boolean | Restored> {
    if (actions.length === 0) return true;
    const { stores, client } = this.#step;
    const before = (await stores())!;
    const sender = clientPartOf(client);
    const acting = sender?.save();
    const [version, ahead] = [versionOf(this.#world), this.#aheadMs];
    for (const [index, action] of actions.entries()) {
      const answer = await call(this.#world, action, []);
      if (answer === UNANSWERED) return true;
      const between = (await stores())!;
      const isChanged = !between.same(before, { strict: true });
      if (!isChanged && versionOf(this.#world) === version && this.#aheadMs === ahead) continue;
      const isJudged = isChanged && this.#aheadMs === ahead && answer !== undefined && this.#keepsKey(answer, before, between);
      sender?.restore(acting);
      if (isJudged && !(await this.#isSafe(action, before, between))) return false;
      const left = actions.slice(index + 1);
      return left.length === 0 || { restored: () => this.after(left) };
    }
    return true;
  }

  /** Sends the request again. If the request has its effect again, reports the problem and returns `false`. */
  async #isSafe(action: Action, before: StoresView, between: StoresView): Promise<boolean> {
    const { stores, client, again, explain, action: step } = this.#step;
    const second = await again(this.#first);
    const after = (await stores())!;
    const fields = effectOf(between, after);
    if (second === undefined || fields === undefined || !repeats(before, [between, after])) return true;
    const { method } = this.#first.request;
    const request = `${step.name}: ${method} ${shownPath(pathOf(client, this.#first) ?? "")} was answered ${this.#first.statusCode}`;
    const repeated = `${second.statusCode} when it was sent again with the same key after ${action.name} was called`;
    return explain(`${request}, and ${repeated}. The second request changed the stores: ${storeChanges(between, after)}`, { fields });
  }

  /**
   * Returns `false` if an action sent or deleted the key, so that the target may accept the key again, or if the action may still be writing (202).
   */
  #keepsKey(answer: ApiResponse, before: StoresView, between: StoresView): boolean {
    const key = keyOf(this.#first, this.#header)!;
    const tables = [...new Set([...before.tables.keys(), ...between.tables.keys()])];
    const removed = tables.flatMap((table) => rowsOnlyIn(before, between, table));
    const isPurge = tables.every((table) => rowsOnlyIn(between, before, table).length === 0) && removed.every((row) => hasAny(row, [key]));
    return !isPurge && answer.statusCode !== 202 && keyOf(answer, this.#header) !== key;
  }

  /** The sum of the clocks' offsets in the world, in milliseconds. */
  get #aheadMs(): number {
    return Object.values(this.#world.systems).reduce((sum, store) => sum + (store?.aheadMs?.() ?? 0), 0);
  }
}

/** The world of the rule. */
interface Retrying extends Calling {
  readonly systems: Readonly<Record<string, StoreAdapter | undefined>>;
}

const AGAIN = "replay(?:ed)?|repeat(?:ed)?|retry|retried";
/** Matches the name of a column in which a server counts or dates repeated requests: `replays`, `retry_count`, `last_seen_at`. */
const NOTE = new RegExp(
  `(?:^|_)(?:replays|repeats|retries|(?:${AGAIN})_(?:count|at)|last_(?:seen|used|access(?:ed)?|request(?:ed)?|${AGAIN})(?:_at)?)$`,
);

/** Returns the changed fields of the stores. Returns `undefined` if nothing changed except columns that count or date repeated requests. */
function effectOf(before: StoresView, after: StoresView): readonly string[] | undefined {
  if (before.same(after)) return undefined;
  const fields = before.changedFields(after);
  const others = fields.filter((field) => !isNote(field));
  return fields.length > 0 && others.length === 0 ? undefined : others;
}

function isNote(text: string): boolean {
  const { field, kind } = readFieldOfKind(text) ?? { field: text, kind: {} };
  const column = kind["field"] ?? field.slice(field.lastIndexOf(".") + 1);
  return NOTE.test(column.replace(/(?<=[a-z0-9])(?=[A-Z])/g, "_").toLowerCase());
}

/** Returns the value of a header of a request; `undefined` if it is absent or empty. */
function keyOf({ request }: ApiResponse, name: string): string | undefined {
  return Object.entries(request.headers).find(([key, value]) => key.toLowerCase() === name && value !== "")?.[1];
}

/** Returns the name of an identifier that differs between the two answers; `undefined` if none differs. */
function differentId(first: ApiResponse, second: ApiResponse): string | undefined {
  const [location, other] = [first.headers["location"], second.headers["location"]];
  if (location !== undefined && other !== undefined && location !== other) return "Location";
  const [one, two] = [jsonOf(first), jsonOf(second)];
  if (!isObject(one) || !isObject(two)) return undefined;
  const below = Object.keys(one).filter((key) => isOfThing(key) && isObject(one[key]) && isObject(two[key]));
  const pairs = [[one, two] as const, ...below.map((key) => [one[key] as Item, two[key] as Item] as const)];
  return ["id", "uuid"].find((key) => pairs.some(([a, b]) => isId(a[key]) && isId(b[key]) && a[key] !== b[key]));
}

function isRefusal(status: number): boolean {
  return status >= 500 ? isFailure(status) : status >= 400 && !NO_STATEMENT.has(status);
}

const isId = (value: unknown): boolean => typeof value === "string" || typeof value === "number";
const isOfThing = (key: string): boolean => !/^_?meta(?:data)?$|request|trace|correlation|span/i.test(key);
