import { isExpected, type ExpectedStatus } from "../model/declare/action.ts";
import type { ApiClient } from "../model/http/client.ts";
import type { Values } from "../model/context/context.ts";
import { Rule } from "../model/declare/rule.ts";
import { Severity } from "../model/declare/severity.ts";
import { Conformance } from "../openapi/conformance/conformance.ts";
import { describe, readDescription } from "../openapi/index.ts";
import { requireOptions, statusesOf } from "./rule-options.ts";

/** Options of {@link conformsTo}. */
export interface ConformsToOptions {
  /** Statuses that the description need not contain, e.g. `[401, "5xx"]`. Answers with these statuses are not checked. Default: none. */
  readonly except?: readonly ExpectedStatus[];
  /** The treatment of requests that the description does not contain. With `report`, such a request is a finding. Default: `ignore`. */
  readonly undescribed?: "ignore" | "report";
  /**
   * The path at which the target serves the description's `/`, e.g. `/api`. Default: the paths of the description's `servers` and an empty path are
   * tried.
   */
  readonly base?: string;
  /** `true` if references to files outside the description's folder, and to the network, are read. Default: `false`. */
  readonly allowRefs?: boolean;
  /** The severity of a violation. Default: MEDIUM. */
  readonly severity?: Severity;
}

/**
 * Checks that every answer that an action receives matches an OpenAPI description (2.0, 3.0, 3.1). Severity: MEDIUM.
 *
 * - Operation: the operation whose path template matches the path. Literal segments match before parameters. The path may begin with the path of a
 *   server.
 * - Status: it must be described by itself, else by its range (`4XX`), else by `default`. 401 also counts as described where `security` requires
 *   credentials.
 * - Headers: the required headers must be present.
 * - Content type: it must be one of the described types, without its parameters. Checked only if a type is described and the status has a body.
 * - Body: JSON must be valid against the schema, by JSON Schema 2020-12 with formats. `nullable` and the alternatives of a `discriminator` are
 *   respected, and `writeOnly` properties may be missing.
 *
 * Some checks are skipped: a pattern, if matching a value takes more than 0.2 seconds; a schema, if validation takes more than 3 seconds, or if no
 * validator can be built for the schema. The rest of the body is checked. The run's notes list the skipped checks and their numbers.
 *
 * The finding names the operation, the status, the place in the body as a JSON pointer, and the broken rule, but no value of the body. If several
 * operations differ from the description for the same cause (a shared schema, a refusal, a content type), only one finding is reported.
 * @param spec A path (relative to the folder in which seqqa runs), a URL, or the description as an object. Each lane reads the description once,
 * before its first use.
 */
export function conformsTo<C extends object = Values, A = ApiClient>(
  spec: string | URL | Readonly<Record<string, unknown>>,
  options: ConformsToOptions = {},
): Rule<C, A> {
  requireOptions<keyof ConformsToOptions>("conformsTo", options, {
    except: true,
    undescribed: true,
    base: true,
    allowRefs: true,
    severity: true,
  });
  const except = statusesOf("conformsTo", options.except);
  const { undescribed = "ignore" } = options;
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
          return explain(`${action.name} made a ${answer.request.method} request that is not in the API description`);
      }
      return missed === undefined || inconclusive(missed, { partly: true });
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
