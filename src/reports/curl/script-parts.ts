import type { RecordedExchange } from "../../model/results/result.ts";
import type { Redactor } from "../redaction/redactor.ts";
import type { Flow, Secret, Taken } from "./flow.ts";
import type { RequestParts } from "./request-parts.ts";
import { printing, quoted, word } from "./shell-text.ts";

/**
 * Options of every curl command: paths are sent as recorded, and no proxy of the environment is used, as in a run. If the user starts the script with
 * `NOPROXY=`, curl uses the proxies of the environment.
 */
export const CURL_OPTIONS = `--silent --globoff --path-as-is --noproxy "\${NOPROXY-*}"`;

/** Lines that let a script wait until the clock shows the next second. */
export const NEXT_SECOND_LINES: readonly string[] = ["# The target compares times in whole seconds.", "sleep 1"];

export interface Sent {
  readonly number: number;
  readonly label: string;
  readonly parts: RequestParts;
  /** The origin of the request's URL; `undefined` if the request goes to the base URL of the script. */
  readonly origin: string | undefined;
  readonly exchange: RecordedExchange;
  /** The time limit for the answer in seconds. Present only if the finding is that no answer came in this time. */
  readonly seconds?: number | undefined;
}

/**
 * A shell command that ends the script if nothing accepts connections at the URL of the API. Needed if the recording has no answer to the first
 * request: without this command, an API that does not run would look like the finding.
 */
export const REACH = `[ "\${NOPROXY-*}" = "" ] || helper reach "$BASE_URL" || { echo "There is no answer from $BASE_URL." >&2; exit 2; }`;

/** Returns a shell command that ends the script before the first request if the recording lacks the bytes of a body. Empty if no body is missing. */
export function unsendable(sent: readonly Sent[]): readonly string[] {
  const one = sent.find(({ parts }) => parts.lacksBytes);
  if (one === undefined) return [];
  return [
    "",
    `echo ${quoted(oneLine(`Request ${one.number} (${one.label}) has a body of bytes that reports do not contain. Use seqqa replay.`))} >&2; exit 2`,
  ];
}

function askFor({ variable, name, scheme, where }: Secret): string {
  const value = scheme === "" ? `the value of ${name}` : `the text after "${scheme} " in the header ${name}`;
  return `Set ${variable} to ${value} in ${where}; reports do not show this text.`;
}

/**
 * Returns the first part of every script. This part checks the environment variables and tools, and defines the shell functions that send requests.
 */
export function preparation(base: string, { secrets }: Flow, helper: string): readonly string[] {
  return [
    "set -u",
    `: "\${BASE_URL:=${base.replace(/[^\w.:/[\]-]/g, "")}}"`,
    'BASE_URL="${BASE_URL%/}"',
    ...secrets.map((secret) => `[ "\${${secret.variable}+set}" = set ] || { echo ${quoted(oneLine(askFor(secret)))} >&2; exit 2; }`),
    'for tool in curl node; do command -v "$tool" > /dev/null || { echo "This script needs $tool." >&2; exit 2; }; done',
    "dir=$(mktemp -d) || exit 2",
    `trap 'rm -rf "$dir"' EXIT`,
    "trap 'exit 130' INT TERM",
    `helper_text=${quoted(helper)}`,
    'helper() { node -e "$helper_text" -- "$@"; }',
    'gone() { echo "Gone: $1"; exit 0; }',
    'strayed() { echo "An answer on the way to the finding differs from the recorded answer: $1" >&2; exit 3; }',
    // If there is no answer, the shell function `send` writes `none` as the status.
    "send() {",
    "  number=$1; method=$2; url=$3; shift 3",
    "  curl -q " +
      CURL_OPTIONS +
      ' --max-time "${TIMEOUT:-30}" "$@" --request "$method" --dump-header "$dir/$number.head" --output "$dir/$number.body" --write-out "%{http_code}" --url "$url" > "$dir/$number.status" || printf none > "$dir/$number.status"',
    '  [ -f "$dir/$number.body" ] || : > "$dir/$number.body"',
    '  echo "$method ${url#"$BASE_URL"}: $(cat "$dir/$number.status")"',
    "}",
    'answered() { [ "$(cat "$dir/$1.status")" = "$2" ] || strayed "$3 was answered with $(cat "$dir/$1.status") and not $2"; }',
    'reached() { [ "$(cat "$dir/$1.status")" != none ] || { echo "There is no answer from $BASE_URL." >&2; exit 2; }; }',
  ];
}

/** Returns the shell words of a curl command: method, URL and options. The commands in `before` write the body to a file. */
export function requestWords({ number, parts, origin, seconds }: Sent): {
  readonly before: readonly string[];
  readonly method: string;
  readonly url: string;
  readonly options: readonly string[];
} {
  const place = origin === undefined ? '"$BASE_URL"' : quoted(origin);
  const target = parts.target.filter((part) => part !== "");
  return {
    before: parts.body === undefined ? [] : [`{ ${printing(parts.body)}; } > "$dir/${number}.sent"`],
    method: quoted(parts.method),
    url: `${place}${target.length === 0 ? "" : word(target)}`,
    options: [
      ...parts.headers.map((header) => `--header ${word(header)}`),
      ...(parts.body === undefined
        ? []
        : [...(parts.hasContentType ? [] : ["--header content-type:"]), "--header expect:", `--data-binary "@$dir/${number}.sent"`]),
      ...(parts.method === "HEAD" ? ["--head"] : []),
      ...(seconds === undefined ? [] : [`--max-time "\${TIMEOUT:-${seconds}}"`]),
    ],
  };
}

export function sendLines(sent: Sent): readonly string[] {
  const { before, method, url, options } = requestWords(sent);
  return [...before, `send ${sent.number} ${method} ${url}${options.map((option) => ` ${option}`).join("")}`];
}

/** Returns the shell command that takes a value from an answer. If the answer lacks the value, the command `otherwise` is executed. */
export function takenLine({ variable, source: { number, pick } }: Taken, otherwise: string): string {
  const [command, argument] = pick;
  const file = `"$dir/${number}.${command === "json" ? "body" : "head"}"`;
  return `${variable}=$(helper ${command} ${file} ${quoted(command === "json" ? ascii(argument) : oneLine(argument))}) || ${otherwise}`;
}

export const statusOf = ({ response }: RecordedExchange): string => (response === undefined ? "none" : String(response.status));

/** Answers with more characters than this are compared only by their HTTP statuses, not by their bodies. */
const COMPARED = 20_000;

/**
 * Returns the body with which the script compares the body of the same answer; `undefined` if only statuses are compared. After HEAD, curl writes the
 * headers in place of a body, so there is nothing to compare.
 */
export function comparedBody(
  { method }: RecordedExchange["request"],
  response: RecordedExchange["response"],
  hide: Redactor,
): string | undefined {
  return response === undefined || method === "HEAD" || response.body.length > COMPARED ? undefined : hide.body(response.body);
}

export function originOf(url: string): string | undefined {
  return /^https?:\/\/(?:[^/?#@]*@)?([^/?#@]+)/i.exec(url) === null
    ? undefined
    : url.replace(/^(https?:\/\/)(?:[^/?#@]*@)?([^/?#@]+).*$/is, "$1$2");
}

export const isHttp = ({ request }: RecordedExchange): boolean => originOf(request.url) !== undefined;

export function commonOrigin(urls: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const origin of urls.map(originOf)) if (origin !== undefined) counts.set(origin, (counts.get(origin) ?? 0) + 1);
  return [...counts].toSorted((a, b) => b[1] - a[1])[0]![0];
}

export const ascii = (json: string): string =>
  json.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
export const oneLine = (text: string): string => text.replace(/[^\x20-\x7e\u00a1-\u1fff\u3000-\ud7ff]/g, "?");
