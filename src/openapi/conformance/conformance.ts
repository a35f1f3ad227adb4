import type { ApiResponse } from "../../model/http/response.ts";
import { parametersOf } from "../operations/bodies.ts";
import type { ApiDescription, DescribedResponse, MediaType, Operation } from "../operations/description.ts";
import { quoted } from "../problem.ts";
import { bodyCheck, type BodyCheck } from "./body-check.ts";
import { OperationIndex } from "./operation-index.ts";
import { LIMITS, type Limits } from "./time-limit.ts";

export type Answer = Pick<ApiResponse, "statusCode" | "headers" | "text"> & {
  readonly request: Pick<ApiResponse["request"], "method" | "url">;
};

export type Verdict =
  /** The OpenAPI description does not contain the operation, so the answer is not checked. */
  | { readonly kind: "undescribed" }
  | { readonly kind: "conforms"; readonly operation: Operation }
  /** No violation was found, but a part of the answer could not be checked. `what` names the operation, the status and that part. */
  | { readonly kind: "inconclusive"; readonly operation: Operation; readonly what: string }
  /** The answer violates the OpenAPI description. `what` names the operation, the status, the place and the broken rule, but no value of the body. */
  | {
      readonly kind: "differs";
      readonly operation: Operation;
      readonly clause: "status" | "content_type" | "body" | "headers";
      readonly what: string;
      /** A text that is equal for violations with the same cause, for example a common error handler. `undefined` if the cause is unknown. */
      readonly cause: string | undefined;
    };

type Difference =
  | (Pick<Extract<Verdict, { kind: "differs" }>, "clause" | "what"> & { readonly cause?: string | undefined })
  | { readonly clause: "inconclusive"; readonly what: string };

/** Statuses of answers that never have a body (RFC 9110, section 6.4.1). */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

export class Conformance {
  readonly #description: ApiDescription;
  readonly #index: OperationIndex;
  readonly #limits: Limits;
  readonly #checks = new WeakMap<MediaType, BodyCheck>();

  /**
   * @param base The path that the target adds before the paths of the description, such as `/api`. It is tried in addition to the paths of the
   * description's server URLs.
   */
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
    // If the description lists no responses for an operation, every response is allowed.
    if (responses.length === 0) return undefined;
    const described = responseFor(responses, answer.statusCode);
    if (described === undefined && answer.statusCode === 401 && asksForCredentials(security)) return undefined;
    if (described === undefined)
      return { clause: "status", what: `the status is not described (${responses.map(({ status }) => status).join(", ")})` };
    const missing = missingHeader(described, answer);
    if (missing !== undefined) return { clause: "headers", what: `the required header ${quoted(missing)} is missing` };
    return method === "head" || BODILESS.has(answer.statusCode) || answer.statusCode < 200
      ? undefined
      : this.#bodyDifference(described, answer);
  }

  #bodyDifference({ media }: DescribedResponse, answer: Answer): Difference | undefined {
    // Descriptions often omit the bodies of answers, especially of errors. A body without a described media type is therefore not checked.
    if (media.length === 0) return undefined;
    const types = [...new Set(media.map(({ type }) => type))].join(", ");
    const given = answer.headers["content-type"];
    // An empty body is a valid text, file or CSV table, but is not valid JSON.
    if (answer.text === "" && (media.every(({ type }) => isJson(type)) || (given !== undefined && isJson(essence(given)))))
      return { clause: "body", what: `the body is missing (described: ${shown(types)})` };
    if (answer.text === "" && given === undefined) return undefined;
    if (given === undefined) return { clause: "content_type", what: `the content type is missing (described: ${shown(types)})` };
    const described = mediaFor(media, given);
    if (described.length === 0)
      return { clause: "content_type", what: `the content type ${quoted(essence(given))} is not described (${shown(types)})` };
    return isJson(essence(given)) ? this.#jsonDifference(described, answer.text) : undefined;
  }

  /**
   * Compares a JSON body with the schema of each media type. Returns `undefined` if the body matches one of the schemas, else the difference from the
   * first schema.
   */
  #jsonDifference(media: readonly MediaType[], text: string): Difference | undefined {
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      return { clause: "body", what: "the body is not JSON" };
    }
    const differences = media.map((one) => this.#valueDifference(one, body));
    return differences.includes(undefined) ? undefined : (differences.find((one) => one?.clause === "inconclusive") ?? differences[0]);
  }

  #valueDifference(media: MediaType, body: unknown): Difference | undefined {
    if (media.schema === undefined) return undefined;
    let check = this.#checks.get(media);
    if (check === undefined) this.#checks.set(media, (check = bodyCheck(this.#description, media.schema, this.#limits)));
    const { wrong, cause, inconclusive } = check(body);
    if (wrong !== undefined) return { clause: "body", what: wrong, cause };
    return inconclusive === undefined ? undefined : { clause: "inconclusive", what: inconclusive };
  }
}

/**
 * Returns `true` if an operation always requires credentials. The status 401 (RFC 9110, section 15.5.2) is then allowed even if it is not described.
 */
function asksForCredentials(security: Operation["security"]): boolean {
  return security.length > 0 && security.every((needs) => needs.length > 0);
}

/**
 * Returns the cause of a violation, which violations of other operations may share, or `undefined` if no cause is known. The cause is a rule of a
 * shared schema, a wrong content type, or the form of an error answer. Error answers of the same form have one cause, because one handler often
 * produces all of them.
 */
function causeOf(found: Exclude<Difference, { clause: "inconclusive" }>, status: number): string | undefined {
  if (found.cause !== undefined) return found.cause;
  if (status >= 400) return `status ${status}: ${found.clause === "status" ? "the status is not described" : found.what}`;
  return found.clause === "content_type" ? found.what : undefined;
}

/** Returns the name of a required header that the answer lacks. `Content-Type` is ignored, because OpenAPI describes it by media types only. */
function missingHeader({ headers }: DescribedResponse, answer: Answer): string | undefined {
  return [...headers].find(([name, { required }]) => required && name !== "content-type" && !Object.hasOwn(answer.headers, name))?.[0];
}

function shown(text: string): string {
  return quoted(text).slice(1, -1);
}

/** Returns the response that the description gives for a status: the exact status, else its range (`4XX`), else `default`. */
function responseFor(responses: readonly DescribedResponse[], status: number): DescribedResponse | undefined {
  const byStatus = (name: string): DescribedResponse | undefined => responses.find((response) => response.status === name);
  return byStatus(String(status)) ?? byStatus(`${Math.floor(status / 100)}XX`) ?? byStatus("default");
}

/**
 * Returns the media type of the description that fits a content type: the same type, else the narrowest range (`text/*`, `application/*+json`). If
 * the description has the same type several times with different parameters, and none has the parameters of the content type, returns all of them.
 */
function mediaFor(media: readonly MediaType[], contentType: string): readonly MediaType[] {
  const type = essence(contentType);
  const [best] = media
    .filter((one) => isIn(type, one.type))
    .sort((a, b) => Number(a.type.includes("*")) - Number(b.type.includes("*")) || b.type.length - a.type.length);
  const alike = media.filter((one) => one.type === best?.type);
  const parameters = parametersOf(contentType);
  const same = alike.filter((one) => (one.parameters ?? "") === parameters);
  return same.length > 0 ? same : alike;
}

/** Returns a content type in lower case without parameters: `text/html` for `text/HTML; charset=utf-8`. */
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
