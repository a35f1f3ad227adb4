import type { ExplorationResult, RecordedExchange, Violation } from "../../model/results/result.ts";
import { HIDDEN } from "../redaction/field-names.ts";
import type { Redactor } from "../redaction/redactor.ts";
import { Flow, type Taken } from "./flow.ts";
import { HELPER } from "./helper.ts";
import { requestParts } from "./request-parts.ts";
import {
  ascii,
  commonOrigin,
  comparedBody,
  isHttp,
  NEXT_SECOND_LINES,
  oneLine,
  originOf,
  preparation,
  REACH,
  sendLines,
  statusOf,
  takenLine,
  unsendable,
  type Sent,
} from "./script-parts.ts";
import { comment, quoted } from "./shell-text.ts";
import { pathOf, thingOfPath } from "./sources.ts";

/**
 * The rules of `seqqa/rules` that compare the contents of stores. The API may give the same answers before and after the error is fixed, so a script
 * that sees only answers cannot show that the error is fixed.
 */
const JUDGED_BY_STORES = new Set(["rejected_means_unchanged", "leakage", "idempotent", "retry_safe", "ownership"]);

/** The name of the finding for an answer that is not valid HTTP. curl accepts some answers that the client of a run refuses. */
const INVALID_ANSWER = "invalid_http_answer";

interface FindingRequest extends Sent {
  /**
   * `way`: the request belongs to an earlier step of the path. `last`: the request belongs to the last step of the path. `check`: the broken rule
   * sent the request.
   */
  readonly kind: "way" | "last" | "check";
}

type Finding = Pick<Violation, "id" | "invariant" | "severity" | "message" | "steps" | "checks" | "reproductionPath"> &
  Pick<ExplorationResult, "nextSecond">;

/**
 * Returns a finding as a POSIX shell script; `undefined` if the finding has no HTTP requests. The script sends the requests of the path, then the
 * requests of the broken rule, and compares the answers with the recorded ones. Values of earlier answers, such as ids, are taken from the answers
 * that the script receives. The shell treats texts of requests and answers only as data, never as code. Secrets (see `hide`) are not in the script,
 * which reads them from answers or from the environment.
 */
export function curlScript(finding: Finding, hide: Redactor): string | undefined {
  const exchanges = exchangesOf(finding);
  if (exchanges.length === 0) return undefined;
  const base = commonOrigin(exchanges.map(({ exchange }) => exchange.request.url));
  const flow = new Flow();
  const sent = exchanges.map(({ exchange, ...rest }, index): FindingRequest => {
    const number = index + 1;
    const origin = originOf(exchange.request.url);
    flow.where = rest.label;
    const parts = requestParts(exchange.request, flow, hide);
    flow.answered(number, exchange);
    return { ...rest, number, parts, exchange, origin: origin === base ? undefined : origin, seconds: secondsOf(finding, exchange) };
  });
  return [
    ...head(finding, base, flow),
    ...unsendable(sent),
    ...(statusOf(exchanges[0]!.exchange) === "none" ? [REACH] : []),
    ...sent.flatMap((one, index) => [
      ...(finding.nextSecond === true && index > 0 && one.kind !== "check" && one.label !== sent[index - 1]!.label
        ? NEXT_SECOND_LINES
        : []),
      ...requestLines(one),
      ...flow.taken.filter(({ source }) => source.number === one.number).map((taken) => takenLine(taken, otherwise(one.kind))),
    ]),
    ...ending(finding, { sent, base, flow }, hide),
    "",
  ].join("\n");
}

/**
 * Returns the time limit in seconds for a request that got no answer in the run; `undefined` for other requests. With a longer limit, the script
 * could receive a late answer.
 */
const secondsOf = ({ invariant }: Finding, { response, durationMs }: RecordedExchange): number | undefined =>
  response === undefined && invariant.endsWith("_timeout") && durationMs >= 1 ? Math.ceil(durationMs / 100) / 10 : undefined;

function exchangesOf({ steps, checks = [], reproductionPath }: Finding): readonly Pick<FindingRequest, "label" | "exchange" | "kind">[] {
  const last = reproductionPath.length - 1;
  return [
    ...steps.flatMap(({ action, requests }, step) =>
      requests
        .filter(isHttp)
        .map((exchange) => ({ label: `step ${step + 1}, ${action}`, exchange, kind: step < last ? ("way" as const) : ("last" as const) })),
    ),
    ...checks.filter(isHttp).map((exchange) => ({ label: "a request of the rule", exchange, kind: "check" as const })),
  ];
}

function head({ id, invariant, severity, message, reproductionPath }: Finding, base: string, flow: Flow): readonly string[] {
  return [
    "#!/bin/sh",
    comment(`[${severity.toUpperCase()}] ${invariant}: ${message}`),
    comment(`finding ${id}, path: ${reproductionPath.join(" -> ") || "(the root state)"}`),
    "#",
    "# Needs sh, curl and node (18 or newer, for reading JSON). Set BASE_URL to the URL of the API. The API must be in the state in which the path begins.",
    "# To send requests through the proxies of the environment, set NOPROXY to an empty value.",
    "# Exit status 0: the finding no longer occurs. 1: it still occurs. 2: the script could not test it. 3: the path differed from the recording.",
    ...preparation(base, flow, HELPER),
  ];
}

function requestLines(sent: FindingRequest): readonly string[] {
  const { number, label, exchange, kind } = sent;
  const status = statusOf(exchange);
  return [
    "",
    comment(label),
    ...sendLines(sent),
    ...(number === 1 && status !== "none" ? [`reached ${number}`] : []),
    ...(kind === "way" ? [`answered ${number} ${status} ${quoted(oneLine(label))}`] : []),
  ];
}

/**
 * Returns the shell command that is executed if an answer lacks a value that a later request needs. Before the last step, the command reports that
 * the path no longer works. At the last step, it reports that the finding no longer occurs.
 */
const otherwise = (kind: FindingRequest["kind"]): string =>
  kind === "way" ? `strayed 'an answer lacks a value that a later request sends'` : `gone 'an answer differs from the recorded one.'`;

interface Script {
  readonly sent: readonly FindingRequest[];
  readonly base: string;
  readonly flow: Flow;
}

/**
 * Returns the short numeric ids that the script takes from answers. The script compares texts of later answers with these ids; longer ids are
 * recognized without a list.
 */
const shortIds = ({ taken }: Flow, hide: Redactor): readonly Taken[] =>
  taken.filter(({ source: { value, name } }) => /^[1-9]\d{0,14}$/.test(value) && !hide.hides(name) && hide.secrets(value) === value);

function ending({ invariant, id }: Finding, { sent, base, flow }: Script, hide: Redactor): readonly string[] {
  const shown = sent.filter(({ kind }) => kind !== "way");
  const hasChecks = shown.some(({ kind }) => kind === "check");
  const recorded = shown.map(({ number, kind, exchange: { request, response } }) => {
    const status = response === undefined ? "none" : String(response.status);
    // Statuses are always compared. Compare the bodies of answers to requests of the rule. If the rule sent no request, compare the body of the last
    // step's answer, unless its status is 500 or above.
    const compared = kind === "check" || (!hasChecks && response !== undefined && response.status < 500);
    const body = compared ? comparedBody(request, response, hide) : undefined;
    return { number: String(number), status, body, of: thingOfPath(pathOf(request.url)) };
  });
  const but = recorded.some(({ body }) => body?.includes(HIDDEN)) ? ", except for values that reports do not show" : "";
  const same =
    recorded.length === 0 || JUDGED_BY_STORES.has(invariant)
      ? `echo ${quoted(oneLine(`The answers are as recorded${but}. Only the stores show whether ${invariant} still fails: seqqa replay ${id} checks them.`))} >&2; exit 2`
      : `echo ${quoted(oneLine(`Still fails: ${invariant}, with the same answers as recorded${but}.`))}; exit 1`;
  const ids = shortIds(flow, hide);
  const gone =
    invariant === INVALID_ANSWER
      ? `echo ${quoted(`seqqa refused the answer, but curl may accept it. Only seqqa replay ${id} shows if it is still invalid.`)} >&2; exit 2`
      : `gone ${quoted(oneLine(`${invariant}: the answers differ from the recorded ones.`))}`;
  return [
    "",
    "# The recorded answers, to compare with",
    `printf '%s' ${quoted(ascii(JSON.stringify({ base, known: ids.map(({ source }) => source.value), answers: recorded })))} > "$dir/recorded.json"`,
    `helper same "$dir" "$dir/recorded.json" "$BASE_URL"${ids.map(({ variable }) => ` "$${variable}"`).join("")}`,
    "case $? in",
    `  10) ${same} ;;`,
    `  11) ${gone} ;;`,
    '  *) echo "The answers could not be compared." >&2; exit 2 ;;',
    "esac",
  ];
}
