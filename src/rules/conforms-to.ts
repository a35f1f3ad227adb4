import { isExpected, type ExpectedStatus } from "../model/declare/action.ts";
import type { ApiClient } from "../model/http/client.ts";
import type { Values } from "../model/context/context.ts";
import { Rule } from "../model/declare/rule.ts";
import { Severity } from "../model/declare/severity.ts";
import { Conformance } from "../openapi/conformance/conformance.ts";
import { describe, readDescription } from "../openapi/index.ts";

/** Options of {@link conformsTo}. */
export interface ConformsToOptions {
  /** Statuses that need not be described, e.g. `[401, "5xx"]`. Answers with them are not checked. Default: none. */
  readonly except?: readonly ExpectedStatus[];
  /** `report`: a request that the description does not have is a finding. Default: `ignore`. */
  readonly undescribed?: "ignore" | "report";
  /**
   * The path at which the target serves what the description has at `/`, e.g. `/api`. The paths of its `servers`, and no path, are tried without it.
   */
  readonly base?: string;
  /** `true`: references to files outside the description's folder, and to the network, are read. Default: `false`. */
  readonly allowRefs?: boolean;
  /** Default MEDIUM. */
  readonly severity?: Severity;
}

/**
 * Every answer that an action receives is one that an OpenAPI description (2.0, 3.0, 3.1) has for its operation:
 *
 * - the operation is the one whose path template the path matches, literal segments before named ones, with or without the path of a server before
 *   it;
 * - the status is described, by itself, else by its range (`4XX`), else by `default`; 401 is, where `security` asks for credentials;
 * - the required headers are there;
 * - the content type is one of those described, without its parameters, if any is described and the status has a body;
 * - a body in JSON is valid against the schema, by JSON Schema 2020-12 with formats. `nullable` is respected, and so are the alternatives that a
 *   `discriminator` chooses from; `writeOnly` properties may be missing. A pattern is not judged for a value that takes it more than 0.2 seconds, nor
 *   is a schema that takes more than 3 seconds or that no validator accepts; the rest of the body is judged. The run's notes say what was not judged,
 *   and how many times.
 *
 * The finding names operation, status, the place in the body as a JSON pointer, and the broken rule, but no value of the body. MEDIUM. Operations that
 * differ in one way (a shared schema, a refusal, a content type) are one finding.
 * @param spec A path (relative to where seqqa runs), a URL, or the description as an object. Read once for each lane, when it is first needed.
 */
export function conformsTo<C extends object = Values, A = ApiClient>(
  spec: string | URL | Readonly<Record<string, unknown>>,
  options: ConformsToOptions = {},
): Rule<C, A> {
  const { except = [], undescribed = "ignore" } = options;
  let reading: Promise<Conformance> | undefined;
  return new Rule<C, A>({
    name: "conforms_to",
    message: "an answer does not match the description of the API",
    severity: options.severity ?? Severity.MEDIUM,
    judge: async (_world, { action, answers, explain, inconclusive }) => {
      let missed: string | undefined;
      const conformance = await (reading ??= read(spec, options));
      for (const answer of answers) {
        if (isExpected(answer.statusCode, except)) continue;
        const verdict = conformance.judge(answer);
        if (verdict.kind === "differs") return explain(verdict.what, { cause: verdict.cause });
        if (verdict.kind === "inconclusive") missed ??= verdict.what;
        if (verdict.kind === "undescribed" && undescribed === "report")
          return explain(`${action.name} made a ${answer.request.method} request that is not described`);
      }
      return missed === undefined || inconclusive(missed);
    },
  });
}

async function read(
  spec: string | URL | Readonly<Record<string, unknown>>,
  { allowRefs = false, base }: ConformsToOptions,
): Promise<Conformance> {
  const inMemory = typeof spec === "object" && !(spec instanceof URL);
  const description = inMemory
    ? describe(spec, "the description of conformsTo")
    : await readDescription(String(spec), { cwd: process.cwd(), allowRefs });
  return new Conformance(description, base);
}
