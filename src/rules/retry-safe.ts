import type { ApiClient } from "../model/http/client.ts";
import type { Values } from "../model/context/context.ts";
import { SeqqaError } from "../model/errors.ts";
import { Rule } from "../model/declare/rule.ts";
import type { ApiResponse } from "../model/http/response.ts";
import { Severity } from "../model/declare/severity.ts";
import { isObject, jsonOf, type Item } from "./answers/answer-content.ts";
import { isDone, isFailure, pathOf, shownPath, writesOf } from "./requests.ts";
import { storeChanges } from "./store-changes.ts";
import { requireOptions } from "./rule-options.ts";

/** Options of {@link retrySafe}. */
export interface RetrySafeOptions {
  /** The header that carries the idempotency key. Default: `Idempotency-Key`. */
  readonly header?: string;
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
 * A request without the header is not judged. The rule is inconclusive if the request cannot be sent again, because its body was multipart or bytes
 * that are no UTF-8. The draft is IETF draft-ietf-httpapi-idempotency-key-header.
 * @throws SeqqaError `RULE_INVALID` if `header` is not the name of a header
 */
export function retrySafe<C extends object = Values, A = ApiClient>(options: RetrySafeOptions = {}): Rule<C, A> {
  requireOptions<keyof RetrySafeOptions>("retrySafe", options, { header: true });
  const { header = "Idempotency-Key" } = options;
  if (typeof header !== "string" || !/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(header)) {
    throw new SeqqaError("RULE_INVALID", "retrySafe: `header` is not the name of a header.", {
      exitStatus: 2,
      hint: 'Give the name of a header, such as "X-Request-Key". The default is "Idempotency-Key".',
    });
  }
  const name = header.toLowerCase();
  return new Rule<C, A>({
    name: "retry_safe",
    message: "a request with an idempotency key had a different effect when it was sent again",
    severity: Severity.HIGH,
    writes: true,
    judge: async (_world, { action, answers, client, again, stores, explain, inconclusive }) => {
      const [answer, ...others] = writesOf(answers);
      if (answer === undefined || others.length > 0 || !isDone(answer) || !hasHeader(answer, name)) return true;
      const path = pathOf(client, answer);
      const before = path === undefined ? undefined : await stores();
      if (path === undefined || before === undefined) return true;
      const second = await again(answer);
      if (second === undefined) return inconclusive("seqqa cannot send the request of the step again");
      const request = `${answer.request.method} ${shownPath(path)} with the same ${header}`;
      const what = `${action.name}: ${request} was answered ${answer.statusCode} the first time and ${second.statusCode} the second time`;
      const after = (await stores())!;
      if (!before.same(after)) return explain(`${what}, and the second request changed the stores: ${storeChanges(before, after)}`);
      if (isRefusal(second.statusCode)) return explain(what);
      const other = second.ok ? differentId(answer, second) : undefined;
      return other === undefined || explain(`${what}, and the second answer has a different ${other}`);
    },
  });
}

function hasHeader({ request }: ApiResponse, name: string): boolean {
  return Object.entries(request.headers).some(([key, value]) => key.toLowerCase() === name && value !== "");
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
