import type { ApiResponse } from "../../model/http/response.ts";
import type { ApiDescription, DescribedResponse, MediaType, Operation } from "../operations/description.ts";
import { quoted } from "../problem.ts";
import { bodyCheck, type BodyCheck } from "./body-check.ts";
import { OperationIndex } from "./operation-index.ts";
import { LIMITS, type Limits } from "./time-limit.ts";

/** The parts of an answer that are judged. */
export type Answer = Pick<ApiResponse, "statusCode" | "headers" | "text"> & {
  readonly request: Pick<ApiResponse["request"], "method" | "url">;
};

export type Verdict =
  /** The description has no such call, so the answer is not judged. */
  | { readonly kind: "undescribed" }
  | { readonly kind: "conforms"; readonly operation: Operation }
  /** Everything that could be judged is right; `what` names the call, the status, and the part that could not be judged. */
  | { readonly kind: "inconclusive"; readonly operation: Operation; readonly what: string }
  /** `what` names the call as in the description, the status, the place and the rule, but no value of the body. */
  | {
      readonly kind: "differs";
      readonly operation: Operation;
      readonly clause: "status" | "content_type" | "body" | "headers";
      readonly what: string;
      /** The same for other operations that differ in the same way, e.g. by a status of a common error handler; `undefined`: not known. */
      readonly cause: string | undefined;
    };

type Difference =
  | (Pick<Extract<Verdict, { kind: "differs" }>, "clause" | "what"> & { readonly cause?: string | undefined })
  | { readonly clause: "inconclusive"; readonly what: string };

/** Statuses of answers without a body, whatever is described: RFC 9110, 6.4.1. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/** Compares answers with a description. */
export class Conformance {
  readonly #description: ApiDescription;
  readonly #index: OperationIndex;
  readonly #limits: Limits;
  readonly #checks = new WeakMap<MediaType, BodyCheck>();

  /** @param base The path at which the target serves what the description has at `/`, in addition to the paths of its servers. */
  constructor(description: ApiDescription, base?: string, limits: Limits = LIMITS) {
    this.#description = description;
    this.#limits = limits;
    this.#index = new OperationIndex(description, base);
  }

  judge(answer: Answer): Verdict {
    const { method, url } = answer.request;
    const operation = this.#index.find(method, url);
    if (operation === undefined) return { kind: "undescribed" };
    const found = this.#difference(operation, answer);
    if (found === undefined) return { kind: "conforms", operation };
    const name = `${operation.method.toUpperCase()} ${operation.path}`;
    const what = `${shown(name)}, status ${answer.statusCode}: ${found.what}`;
    return found.clause === "inconclusive"
      ? { kind: "inconclusive", operation, what }
      : { kind: "differs", operation, clause: found.clause, what, cause: causeOf(found, answer.statusCode) };
  }

  #difference({ responses, method, security }: Operation, answer: Answer): Difference | undefined {
    // A description that names no answers does not forbid any.
    if (responses.length === 0) return undefined;
    const described = responseFor(responses, answer.statusCode);
    if (described === undefined && answer.statusCode === 401 && asksForCredentials(security)) return undefined;
    if (described === undefined)
      return { clause: "status", what: `the status is not described (${responses.map(({ status }) => status).join(", ")})` };
    const missing = missingHeader(described, answer);
    if (missing !== undefined) return { clause: "headers", what: `the header ${quoted(missing)} is required, and is not there` };
    return method === "head" || BODILESS.has(answer.statusCode) || answer.statusCode < 200
      ? undefined
      : this.#bodyDifference(described, answer);
  }

  #bodyDifference({ media }: DescribedResponse, answer: Answer): Difference | undefined {
    // Descriptions often omit the body of an answer, above all of errors, and do not mean that there is none.
    if (media.length === 0) return undefined;
    const types = media.map(({ type }) => type).join(", ");
    if (answer.text === "") return { clause: "body", what: `there is no body (described: ${shown(types)})` };
    const given = answer.headers["content-type"];
    if (given === undefined) return { clause: "content_type", what: `there is no content type (described: ${shown(types)})` };
    const described = mediaFor(media, given);
    if (described === undefined)
      return { clause: "content_type", what: `the content type ${quoted(essence(given))} is not described (${shown(types)})` };
    return isJson(essence(given)) ? this.#jsonDifference(described, answer.text) : undefined;
  }

  #jsonDifference(media: MediaType, text: string): Difference | undefined {
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      return { clause: "body", what: "the body is not JSON" };
    }
    if (media.schema === undefined) return undefined;
    let check = this.#checks.get(media);
    if (check === undefined) this.#checks.set(media, (check = bodyCheck(this.#description, media.schema, this.#limits)));
    const { wrong, cause, inconclusive } = check(body);
    if (wrong !== undefined) return { clause: "body", what: wrong, cause };
    return inconclusive === undefined ? undefined : { clause: "inconclusive", what: inconclusive };
  }
}

/** Returns `true` if every alternative needs a credential. Its refusal is a 401 then (RFC 9110, 15.5.2), whether it is listed or not. */
function asksForCredentials(security: Operation["security"]): boolean {
  return security.length > 0 && security.every((needs) => needs.length > 0);
}

/**
 * Returns the cause of a difference that other operations can share: the broken rule of a shared schema, the content type that all answers have, or
 * the form of a refusal, which one handler makes for all of them. The successes of two operations are made in two places.
 */
function causeOf(found: Exclude<Difference, { clause: "inconclusive" }>, status: number): string | undefined {
  if (found.cause !== undefined) return found.cause;
  if (status >= 400) return `status ${status}: ${found.clause === "status" ? "the status is not described" : found.what}`;
  return found.clause === "content_type" ? found.what : undefined;
}

/** Returns a required header that is missing. `Content-Type` is described by the media types alone: OpenAPI, Response Object. */
function missingHeader({ headers }: DescribedResponse, answer: Answer): string | undefined {
  return [...headers].find(([name, { required }]) => required && name !== "content-type" && answer.headers[name] === undefined)?.[0];
}

/** Returns a text of the description on one line. */
function shown(text: string): string {
  return quoted(text).slice(1, -1);
}

/** Returns the answer that is described for a status: by itself, else by its range (`4XX`), else by `default`. */
function responseFor(responses: readonly DescribedResponse[], status: number): DescribedResponse | undefined {
  const byStatus = (name: string): DescribedResponse | undefined => responses.find((response) => response.status === name);
  return byStatus(String(status)) ?? byStatus(`${Math.floor(status / 100)}XX`) ?? byStatus("default");
}

/**
 * Returns the media type that is described for a content type (with or without parameters): by itself, else by the narrowest range (`text/*`,
 * `application/*+json`) that matches.
 */
function mediaFor(media: readonly MediaType[], contentType: string): MediaType | undefined {
  const type = essence(contentType);
  return media
    .filter((one) => isIn(type, one.type))
    .sort((a, b) => Number(a.type.includes("*")) - Number(b.type.includes("*")) || b.type.length - a.type.length)[0];
}

/** Returns a content type without parameters, in lower case: `text/html` for `text/HTML; charset=utf-8`. */
function essence(contentType: string): string {
  return contentType.split(";")[0]!.trim().toLowerCase();
}

function isJson(type: string): boolean {
  return /[/+]json$/.test(type);
}

function isIn(type: string, range: string): boolean {
  const star = range.indexOf("*");
  if (star < 0) return type === range;
  if (range === "*/*" || range === "*") return true;
  const [before, after] = [range.slice(0, star), range.slice(star + 1)];
  return type.length >= range.length && type.startsWith(before) && type.endsWith(after);
}
