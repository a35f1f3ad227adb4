import { withoutSecrets } from "../adapters/http/request/target-url.ts";
import { SeqqaError } from "../model/errors.ts";
import { hasGraphqlErrors } from "../model/http/graphql-answer.ts";
import type { UnsettledCall } from "../model/http/request-scope.ts";
import { ApiResponse } from "../model/http/response.ts";
import type { RecordedExchange } from "../model/results/result.ts";
import type { StepStatus } from "../model/results/journey-result.ts";

export type Ending =
  | { readonly kind: "returned"; readonly value: unknown }
  | { readonly kind: "threw"; readonly error: unknown }
  | { readonly kind: "timed_out"; readonly seconds: number }
  | { readonly kind: "interrupted" };

export interface Verdict {
  readonly status: StepStatus;
  readonly error?: string;
}

const PASSED: Verdict = { status: "passed" };

/** Decides if a step passed, from how its code ended (returned, threw or timed out) and from the answers to its requests. */
export function judge(expectFailure: boolean | readonly number[], ending: Ending, requests: readonly RecordedExchange[]): Verdict {
  switch (ending.kind) {
    case "timed_out":
      return { status: "timed_out", error: `Timed out after ${ending.seconds} s${unfinished(requests)}.` };
    case "interrupted":
      return failed(`Interrupted${unfinished(requests)}.`);
    case "threw":
      return failed(thrownText(ending.error, requests.at(-1)));
    case "returned":
      // A step that returned `null` does not apply, so the step is skipped and its answers are not judged.
      if (ending.value === null && expectFailure === false) return { status: "skipped" };
      return judgeAnswer(expectFailure, ending.value, requests.at(-1));
  }
}

/** Returns the verdict for a step that passed, but had an unhandled rejection or an error in a timer or listener. */
export function strayVerdict(error: unknown): Verdict {
  return failed(`A call that the step did not await failed: ${errorText(error)} Await every call of the step.`);
}

/** Returns the verdict for a step that passed, but ended before one of its calls was answered, so that the answer was not judged. */
export function pendingVerdict(call: UnsettledCall): Verdict {
  return failed(`The step ended before ${lineOf(call)} was answered. Await every call of the step.`);
}

function judgeAnswer(expected: boolean | readonly number[], value: unknown, last: RecordedExchange | undefined): Verdict {
  const returned = statusOf(value);
  const status = returned ?? last?.response?.status;
  const to = returned !== undefined && !(value instanceof ApiResponse && value.request.url !== "") ? "" : answered(value, last);
  if (status === undefined && last?.error !== undefined) return failed(sentence(last.error));
  // A GraphQL answer with errors has status 200, but its `ok` is `false`.
  const refused =
    value instanceof ApiResponse
      ? !value.ok && value.statusCode < 300
      : returned === undefined && last?.response !== undefined && hasGraphqlErrors({ ...last, text: last.response.body });
  if (refused && typeof expected === "boolean") return expected ? PASSED : failed(`Answered ${status}${to}, with GraphQL errors.`);
  if (expected === false) return status === undefined || status < 400 ? PASSED : failed(`Answered ${status}${to}.`);
  const fits = status !== undefined && (expected === true ? status >= 400 && status < 500 : expected.includes(status));
  if (fits) return PASSED;
  const wanted = expected === true ? "to fail" : expected.join(" or ");
  return failed(`Expected ${wanted}, answered ${status === undefined ? "nothing" : `${status}${to}`}.`);
}

function statusOf(value: unknown): number | undefined {
  return value instanceof ApiResponse || value instanceof Response ? value.status : undefined;
}

function answered(value: unknown, last: RecordedExchange | undefined): string {
  const request = value instanceof ApiResponse ? value.request : last?.request;
  return request === undefined ? "" : ` to ${lineOf(request)}`;
}

/** Returns a phrase for the end of an error message that names the last request. Returns an empty text if the last request was answered. */
function unfinished(requests: readonly RecordedExchange[]): string {
  const last = requests.at(-1);
  return last === undefined || last.response !== undefined ? "" : `, waiting for the answer to ${lineOf(last.request)}`;
}

/**
 * Returns the text of a thrown error. If the last answer had a status of 400 or more, the text mentions this answer, because such an answer is often
 * the cause of the error.
 */
function thrownText(error: unknown, last: RecordedExchange | undefined): string {
  const text = errorText(error);
  const status = last?.response?.status ?? 0;
  return status < 400 ? text : `${text} The last answer was ${status} to ${lineOf(last!.request)}.`;
}

/** Returns the text of a thrown error, followed by its hint if it has one. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return `Threw ${typeof error === "string" ? JSON.stringify(error) : `a ${typeof error}, not an Error`}.`;
  if (error instanceof SeqqaError) return error.hint === undefined ? sentence(error.message) : `${sentence(error.message)} ${error.hint}`;
  return sentence(error.name === "Error" ? `Threw: ${error.message}` : `${error.name}: ${error.message}`);
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** Returns the method and the URL of a request. The origin is left out, because it differs between lanes. */
function lineOf({ method, url }: UnsettledCall): string {
  return `${method} ${withoutSecrets(url).replace(/^https?:\/\/[^/?]*/, "")}`;
}

function failed(error: string): Verdict {
  return { status: "failed", error };
}
