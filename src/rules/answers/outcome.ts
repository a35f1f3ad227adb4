import type { ApiResponse } from "../../model/http/response.ts";
import { leavesOf } from "../intruder/owners-view.ts";
import { urlOf } from "../requests.ts";
import { jsonOf } from "./answer-content.ts";

/**
 * The outcome of a writing request, if its answer states only the outcome: `nothing` if the answer says that nothing was written (`{ "count": 0 }`),
 * `done` if the answer says that the request succeeded (`{ "success": true }`).
 */
export type Outcome = "nothing" | "done";

const WRITES = new Set(["POST", "PUT", "PATCH", "DELETE"]);
/**
 * Matches the names of fields that count rows, as in the results of Prisma, TypeORM, MongoDB, mysql2, pg and better-sqlite3. Names are in lower case
 * without `_` and `-`.
 */
const COUNT =
  /^(?:n|count|changes|total|(?:row|num)?affected(?:rows|count)?|(?:deleted|modified|matched|updated|upserted|removed|changed|inserted)(?:count|rows)|rowcount|n(?:modified|matched|removed))$/;
/** Matches the names of boolean fields that say if the request succeeded. */
const FLAG = /^(?:is)?(?:ok|success|successful|done|acknowledged|deleted|removed|updated|modified|changed|accepted|saved|result|data)$/;
/** Matches the names of fields that only describe the request or its outcome, whatever their value is. */
const BESIDE =
  /^(?:message|msg|detail|details|info|timestamp|requestid|traceid|statuscode|serverstatus|warningstatus|fieldcount|insertid|lastinsertrowid|command|oid|code)$/;
const WORD =
  /^(?:ok(?:ay)?|success(?:ful(?:ly)?)?|done|deleted|removed|updated|accepted|saved|unchanged|no ?op|no ?content|not ?found|nothing)[.!]?$/i;
const STATUS = /^(?:status|result|outcome|state)$/;
const ID = /(?:^|_)(?:id|uuid|key|slug)$|Id$/;
const DEEPEST = 4;

/**
 * Returns the outcome that the answer to a writing request states. Returns `undefined` if the request does not write, or if the answer contains data
 * other than the outcome and values that the request sent.
 */
export function outcomeOf(answer: ApiResponse): Outcome | undefined {
  if (!WRITES.has(answer.request.method)) return undefined;
  const body = jsonOf(answer) ?? answer.text.trim();
  const seen: Seen = { isNothing: false, echoes: echoesOf(answer) };
  return isOutcome("result", body, seen, 0) ? (seen.isNothing ? "nothing" : "done") : undefined;
}

interface Seen {
  /** `true` if a count is 0, or a boolean field is `false`. */
  isNothing: boolean;
  /** Returns `true` if the request sent this value in a field of this name. */
  readonly echoes: (name: string, value: string) => boolean;
}

function isOutcome(name: string, value: unknown, seen: Seen, depth: number): boolean {
  if (value === null || value === undefined || value === "") return true;
  const plain = name.toLowerCase().replaceAll(/[_-]/g, "");
  if (typeof value === "object") {
    if (depth === DEEPEST) return false;
    const members = Array.isArray(value) ? value.map((one: unknown) => [name, one] as const) : Object.entries(value);
    return members.every(([key, one]) => isOutcome(key, one, seen, depth + 1));
  }
  if (seen.echoes(name, String(value)) || BESIDE.test(plain)) return true;
  if (typeof value === "boolean") {
    if (!FLAG.test(plain)) return false;
    seen.isNothing ||= !value;
    return true;
  }
  if (typeof value === "number") {
    if (plain === "status") return true;
    if (value !== 0 || !(COUNT.test(plain) || FLAG.test(plain))) return FLAG.test(plain) && value === 1;
    seen.isNothing = true;
    return true;
  }
  return typeof value === "string" && WORD.test(value.trim()) && (STATUS.test(plain) || FLAG.test(plain));
}

/** Returns a function that says if the request sent a value: under the same name in its body, or as an id in its URL. */
function echoesOf({ request }: ApiResponse): Seen["echoes"] {
  const url = urlOf(request.url, "http://localhost");
  const inUrl = new Set([...(url?.pathname.split("/") ?? []), ...(url?.searchParams.values() ?? [])]);
  const inBody = new Set(leavesOf(bodyOf(request.body), "").map(([name, text]) => `${name.split(".").at(-1)} ${text}`));
  return (name, value) => inBody.has(`${name} ${value}`) || (ID.test(name) && inUrl.has(encodeURIComponent(value)));
}

/** Returns the parsed JSON of a request body. A body that is not JSON is read as a form, and its fields are returned. */
export function bodyOf(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return Object.fromEntries(new URLSearchParams(text));
  }
}
