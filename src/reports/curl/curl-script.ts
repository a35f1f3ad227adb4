import type { RecordedExchange, Violation } from "../../model/result.ts";
import type { Redactor } from "../redaction/redactor.ts";
import { Flow, type Taken } from "./flow.ts";
import { HELPER } from "./helper.ts";
import { requestParts, type RequestParts } from "./request-parts.ts";
import { comment, printing, quoted, word } from "./shell-text.ts";

/** Bodies of answers that are longer are not compared, only their status. */
const COMPARED = 20_000;

/** A request of the script. */
interface Sent {
  readonly number: number;
  readonly label: string;
  readonly parts: RequestParts;
  /** The request is sent to {@link BASE}, and not to a place of its own. */
  readonly origin: string | undefined;
  readonly exchange: RecordedExchange;
  /** The steps before the last one lead there; the last one and the checks show the finding. */
  readonly kind: "way" | "last" | "check";
}

type Finding = Pick<Violation, "id" | "invariant" | "severity" | "message" | "steps" | "checks" | "reproductionPath">;

/**
 * A finding as a script for a POSIX shell: sends the requests of its path in order, with values that came out of earlier answers taken from the answers of
 * the running script, then what the broken rule asked for, and compares the answers with the recorded ones. Whatever is in requests and answers is data to
 * it, and what `hide` hides is not in it: it is taken from an answer, or asked for in the environment. `undefined`: there are no requests over HTTP.
 */
export function curlScript(finding: Finding, hide: Redactor): string | undefined {
  const exchanges = exchangesOf(finding);
  if (exchanges.length === 0) return undefined;
  const base = commonOrigin(exchanges.map(({ exchange }) => exchange.request.url));
  const flow = new Flow();
  const sent = exchanges.map(({ exchange, ...rest }, index): Sent => {
    const number = index + 1;
    const origin = originOf(exchange.request.url);
    flow.where = rest.label;
    const parts = requestParts(exchange.request, flow, hide);
    flow.answered(number, exchange);
    return { ...rest, number, parts, exchange, origin: origin === base ? undefined : origin };
  });
  return [
    ...head(finding, base, flow),
    ...sent.flatMap((one) => [
      ...requestLines(one),
      ...flow.taken.filter(({ source }) => source.number === one.number).map((taken) => takenLine(taken, one.kind)),
    ]),
    ...ending(finding, sent, hide),
    "",
  ].join("\n");
}

function exchangesOf({ steps, checks = [], reproductionPath }: Finding): readonly Pick<Sent, "label" | "exchange" | "kind">[] {
  const isHttp = ({ request }: RecordedExchange): boolean => originOf(request.url) !== undefined;
  const last = reproductionPath.length - 1;
  return [
    ...steps.flatMap(({ action, requests }, step) =>
      requests
        .filter(isHttp)
        .map((exchange) => ({ label: `step ${step + 1}, ${action}`, exchange, kind: step < last ? ("way" as const) : ("last" as const) })),
    ),
    ...checks.filter(isHttp).map((exchange) => ({ label: "what the rule asks for", exchange, kind: "check" as const })),
  ];
}

function head({ id, invariant, severity, message, reproductionPath }: Finding, base: string, flow: Flow): readonly string[] {
  return [
    "#!/bin/sh",
    comment(`[${severity.toUpperCase()}] ${invariant}: ${message}`),
    comment(`finding ${id}, path: ${reproductionPath.join(" -> ") || "(the initial state)"}`),
    "#",
    "# Needs sh, curl and node (18 or newer, for reading JSON). BASE_URL says where the API is, in the state that the path begins in.",
    "# Ends with 1: still fails, as recorded. 0: gone. 2: it could not be tried. 3: the path went another way than recorded.",
    "set -u",
    `: "\${BASE_URL:=${base.replace(/[^\w.:/[\]-]/g, "")}}"`,
    'BASE_URL="${BASE_URL%/}"',
    ...flow.secrets.map(
      ({ variable, name, where }) =>
        `[ "\${${variable}+set}" = set ] || { echo ${quoted(oneLine(`Set ${variable}: the value of ${name} in ${where}, which reports do not show.`))} >&2; exit 2; }`,
    ),
    'for tool in curl node; do command -v "$tool" > /dev/null || { echo "This script needs $tool." >&2; exit 2; }; done',
    "dir=$(mktemp -d) || exit 2",
    `trap 'rm -rf "$dir"' EXIT`,
    "trap 'exit 130' INT TERM",
    `helper_text=${quoted(HELPER)}`,
    'helper() { node -e "$helper_text" -- "$@"; }',
    'gone() { echo "Gone: $1"; exit 0; }',
    'strayed() { echo "The path went another way: $1" >&2; exit 3; }',
    // The status is `none` where there was no answer.
    "send() {",
    "  number=$1; method=$2; url=$3; shift 3",
    '  curl -q --silent --globoff --max-time "${TIMEOUT:-30}" "$@" --request "$method" --dump-header "$dir/$number.head" --output "$dir/$number.body" --write-out "%{http_code}" --url "$url" > "$dir/$number.status" || printf none > "$dir/$number.status"',
    '  [ -f "$dir/$number.body" ] || : > "$dir/$number.body"',
    '  echo "$method ${url#"$BASE_URL"}: $(cat "$dir/$number.status")"',
    "}",
    'answered() { [ "$(cat "$dir/$1.status")" = "$2" ] || strayed "$3 was answered with $(cat "$dir/$1.status") and not $2"; }',
    'reached() { [ "$(cat "$dir/$1.status")" != none ] || { echo "There is no answer from $BASE_URL." >&2; exit 2; }; }',
  ];
}

function requestLines({ number, label, parts, origin, exchange, kind }: Sent): readonly string[] {
  const place = origin === undefined ? '"$BASE_URL"' : quoted(origin);
  const target = parts.target.filter((part) => part !== "");
  const options = [
    ...parts.headers.map((header) => `--header ${word(header)}`),
    ...(parts.body === undefined
      ? []
      : [...(parts.hasContentType ? [] : ["--header content-type:"]), "--header expect:", `--data-binary "@$dir/${number}.sent"`]),
    ...(parts.method === "HEAD" ? ["--head"] : []),
  ];
  const status = exchange.response === undefined ? "none" : String(exchange.response.status);
  return [
    "",
    comment(label),
    ...(parts.body === undefined ? [] : [`{ ${printing(parts.body)}; } > "$dir/${number}.sent"`]),
    `send ${number} ${quoted(parts.method)} ${place}${target.length === 0 ? "" : word(target)}${options.map((option) => ` ${option}`).join("")}`,
    ...(number === 1 && status !== "none" ? [`reached ${number}`] : []),
    ...(kind === "way" ? [`answered ${number} ${status} ${quoted(oneLine(label))}`] : []),
  ];
}

/** A value that is not there any more after the last step is another outcome than the recorded one. */
function takenLine({ variable, source: { number, pick } }: Taken, kind: Sent["kind"]): string {
  const [command, argument] = pick;
  const file = `"$dir/${number}.${command === "json" ? "body" : "head"}"`;
  const otherwise =
    kind === "way" ? `strayed 'an answer holds no value that is sent later'` : `gone 'an answer is another one than recorded.'`;
  return `${variable}=$(helper ${command} ${file} ${quoted(command === "json" ? ascii(argument) : oneLine(argument))}) || ${otherwise}`;
}

function ending({ invariant }: Finding, sent: readonly Sent[], hide: Redactor): readonly string[] {
  const shown = sent.filter(({ kind }) => kind !== "way");
  const hasChecks = shown.some(({ kind }) => kind === "check");
  const recorded = shown.map(({ number, kind, exchange: { response } }) => {
    const status = response === undefined ? "none" : String(response.status);
    // What the rule was answered decides; where it asked for nothing, what the last step was answered, but for the text of an error.
    const compared = kind === "check" || (!hasChecks && response !== undefined && response.status < 500);
    const body = response === undefined || !compared || response.body.length > COMPARED ? undefined : hide.body(response.body);
    return { number: String(number), status, body };
  });
  return [
    "",
    "# The recorded answers, to compare with",
    `printf '%s' ${quoted(ascii(JSON.stringify(recorded)))} > "$dir/recorded.json"`,
    'helper same "$dir" "$dir/recorded.json"',
    "case $? in",
    `  10) echo ${quoted(oneLine(`Still fails: ${invariant}, with the same answers as recorded.`))}; exit 1 ;;`,
    `  11) gone ${quoted(oneLine(`${invariant}: the answers are others than recorded.`))} ;;`,
    '  *) echo "The answers could not be compared." >&2; exit 2 ;;',
    "esac",
  ];
}

function originOf(url: string): string | undefined {
  return /^https?:\/\/(?:[^/?#@]*@)?([^/?#@]+)/i.exec(url) === null
    ? undefined
    : url.replace(/^(https?:\/\/)(?:[^/?#@]*@)?([^/?#@]+).*$/is, "$1$2");
}

/** The origin that most requests go to. */
function commonOrigin(urls: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const origin of urls.map(originOf)) if (origin !== undefined) counts.set(origin, (counts.get(origin) ?? 0) + 1);
  return [...counts].toSorted((a, b) => b[1] - a[1])[0]![0];
}

const ascii = (json: string): string => json.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
const oneLine = (text: string): string => text.replace(/[^\x20-\x7e\u00a1-\u1fff\u3000-\ud7ff]/g, "?");
