import type { Race, RaceOutcome, RecordedExchange } from "../../model/results/result.ts";
import { deliveryText, ordinal, outcomeText, raceName, scheduleText, distinctOutcomes } from "../console/findings/race-text.ts";
import type { Redactor } from "../redaction/redactor.ts";
import { Flow } from "./flow.ts";
import { RACE_HELPER } from "./helper.ts";
import { requestParts } from "./request-parts.ts";
import {
  ascii,
  commonOrigin,
  comparedBody,
  CURL_OPTIONS,
  isHttp,
  NEXT_SECOND_LINES,
  oneLine,
  originOf,
  preparation,
  REACH,
  requestWords,
  sendLines,
  statusOf,
  takenLine,
  unsendable,
  type Sent,
} from "./script-parts.ts";
import { comment, quoted } from "./shell-text.ts";
import { pathOf, thingOfPath } from "./sources.ts";

/** The default number of times that the script tries to cause the race. */
const ROUNDS = 20;
/** The largest number of changed lines that a comment of the script shows. */
const CHANGES = 20;

/** A request of the script. `side` is the index of its call in the race, or -1 for a step before the race. */
interface RaceSent extends Sent {
  readonly side: number;
}

/**
 * Returns a race as a POSIX shell script; `undefined` if a call sent nothing over HTTP. The script sends the requests before the race in order, then
 * the requests of all calls at the same time, and compares the answers with the recorded answers of the race and of the calls one after another. The
 * script repeats all this several times, because a race may occur only sometimes. The shell treats texts of requests and answers only as data, never
 * as code. Secrets (see `hide`) are not in the script. @param nextSecond see {@link ExplorationResult.nextSecond}
 */
export function raceScript(race: Omit<Race, "toString">, hide: Redactor, nextSecond?: true): string | undefined {
  const { steps, observed } = race;
  const sides = observed.calls.map(({ requests }) => requests.filter(isHttp));
  if (sides.length < 2 || sides.some((requests) => requests.length === 0)) return undefined;
  const prefix = steps.flatMap(({ action, requests }, step) =>
    requests.filter(isHttp).map((exchange) => ({ label: `step ${step + 1}, ${action}`, exchange })),
  );
  const base = commonOrigin([...prefix.map(({ exchange }) => exchange), ...sides.flat()].map(({ request }) => request.url));
  const flow = new Flow();
  let number = 0;
  const sent = (label: string, exchange: RecordedExchange, side: number): RaceSent => {
    const origin = originOf(exchange.request.url);
    flow.where = label;
    const parts = requestParts(exchange.request, flow, hide);
    flow.answered(++number, exchange);
    return { number, label, parts, exchange, side, origin: origin === base ? undefined : origin };
  };
  const way = prefix.map(({ label, exchange }) => sent(label, exchange, -1));
  const calls = sides.map((requests, side) => {
    flow.forgetAfter(way.length);
    return requests.map((exchange) => sent(`the ${ordinal(side)} call, ${observed.calls[side]!.action}`, exchange, side));
  });
  return [
    ...head(race, hide),
    ...preparation(base, flow, RACE_HELPER),
    ...unsendable([...way, ...calls.flat()]),
    ...(way.length === 0 ? [REACH] : []),
    `printf '%s' ${quoted(ascii(JSON.stringify({ base, ...recorded(race, calls, hide) })))} > "$dir/recorded.json"`,
    ...ABOUT_ROUNDS,
    "",
    "round=1",
    `while [ "$round" -le "\${ROUNDS:-${ROUNDS}}" ]; do`,
    'rm -f "$dir"/*.status "$dir"/*.body "$dir"/*.head',
    '[ -z "${RESET:-}" ] || sh -c "$RESET" || { echo "The command in RESET failed." >&2; exit 2; }',
    ...way.flatMap((one, index) => [
      "",
      ...(nextSecond === true && index > 0 && one.label !== way[index - 1]!.label ? NEXT_SECOND_LINES : []),
      comment(one.label),
      ...sendLines(one),
      ...(one.number === 1 && statusOf(one.exchange) !== "none" ? [`reached ${one.number}`] : []),
      `answered ${one.number} ${statusOf(one.exchange)} ${quoted(oneLine(one.label))}`,
      ...takenLines(flow, one, "strayed 'an answer lacks a value that a later request sends'"),
    ]),
    "",
    ...(nextSecond === true && way.length > 0 ? NEXT_SECOND_LINES : []),
    ...together(calls, flow),
    "",
    ...ENDING,
    "",
  ].join("\n");
}

function head(race: Omit<Race, "toString">, hide: Redactor): readonly string[] {
  const { id, severity, message, prefix, observed, allowed, delivery } = race;
  const changes = (outcome: RaceOutcome): readonly string[] =>
    (outcome.changes.length === 0 ? ["(the state did not change)"] : outcome.changes.slice(0, CHANGES)).map((line) =>
      comment(`  ${hide.line(line)}`),
    );
  const schedule = scheduleText(race);
  return [
    "#!/bin/sh",
    comment(`[${severity.toUpperCase()}] ${raceName(race)}: ${message}`),
    comment(`race ${id}, path: ${[...prefix, `(${raceName(race)})`].join(" -> ")}`),
    "#",
    comment(`observed  ${outcomeText(race, observed)}`),
    ...changes(observed),
    ...distinctOutcomes(race, allowed).flatMap((outcome) => [comment(`allowed   ${outcomeText(race, outcome)}`), ...changes(outcome)]),
    "#",
    schedule === undefined
      ? comment(
          `The run sent the calls together (${deliveryText(delivery)}); curl sends each call on a connection of its own, so this script may need more rounds.`,
        )
      : comment(
          `The run made the race happen: ${schedule}. curl cannot hold a statement, so this script shows the race only by chance. seqqa replay ${id} follows the schedule.`,
        ),
    "# Needs sh, curl (7.68 or newer) and node (18 or newer, for reading JSON). BASE_URL is the URL of the API, which must be in the state in which the path begins;",
    `# ROUNDS is the number of rounds (default ${ROUNDS}); RESET is a command that resets the API before each round, if the path cannot be executed twice; CHECK is a command`,
    "# that fails if the state is wrong after a round. Without CHECK only the answers are compared, so differences in the state are not seen.",
    "# To send requests through the proxies of the environment, set NOPROXY to an empty value.",
    "# Exit status 0: the race was not seen in these rounds. 1: it was seen. 2: it was not tried, or the answers do not show it. 3: the path differed from the recording.",
  ];
}

/**
 * Shell code that replaces the function `strayed`, which ends the script if the path differs from the recorded one. From the second round on, a
 * possible cause is that the API was not reset, so the message suggests setting RESET.
 */
const ABOUT_ROUNDS = [
  "strayed() {",
  '  echo "The path differed from the recorded one: $1" >&2',
  '  [ "$round" = 1 ] || echo "The path differed in round $round: set RESET to a command that resets the API." >&2',
  "  exit 3",
  "}",
];

const takenLines = (flow: Flow, { number }: Sent, otherwise: string): readonly string[] =>
  flow.taken.filter(({ source }) => source.number === number).map((taken) => takenLine(taken, otherwise));

/** Returns shell commands that send all calls at once: by one curl process if each call has one request, else by one process for each call. */
function together(calls: readonly (readonly RaceSent[])[], flow: Flow): readonly string[] {
  const labels = calls.map(([first]) => comment(first!.label));
  if (calls.some(({ length }) => length > 1)) {
    return [
      "# At the same time",
      ...calls.flatMap((requests, side) => [
        labels[side]!,
        "(",
        ...requests.flatMap((one) => [...sendLines(one), ...takenLines(flow, one, "exit 0")]),
        ") &",
      ]),
      "wait",
    ];
  }
  const words = calls.map(([one]) => ({ number: one!.number, ...requestWords(one!) }));
  const transfers = words.map(({ number, method, url, options }) =>
    [
      `${CURL_OPTIONS} --max-time "\${TIMEOUT:-30}"`,
      ...options,
      `--request ${method} --dump-header "$dir/${number}.head" --output "$dir/${number}.body" --write-out '${number} %{http_code}\\n' --url ${url}`,
    ].join(" "),
  );
  return [
    "# At the same time:",
    ...labels,
    ...words.flatMap(({ before }) => before),
    `curl -q --no-progress-meter --parallel --parallel-immediate ${transfers.join(" \\\n  --next ")} > "$dir/together"`,
    'case $? in 2) echo "This curl is too old: --parallel-immediate came with 7.68." >&2; exit 2 ;; esac',
    'while read -r number status; do [ "$status" != 000 ] || status=none; printf %s "$status" > "$dir/$number.status"; done < "$dir/together"',
    ...words.map(
      ({ number, method, url }) => `echo "at once: "${method}" "${url}": $(cat "$dir/${number}.status" 2> /dev/null || echo none)"`,
    ),
  ];
}

const ENDING = [
  'if [ -n "${CHECK:-}" ]; then',
  '  sh -c "$CHECK" || { echo "The race was seen in round $round: the command in CHECK failed."; exit 1; }',
  "fi",
  'helper race "$dir" "$dir/recorded.json" "$BASE_URL"',
  "case $? in",
  '  10) echo "The race was seen in round $round: when sent one after the other, in any order, the calls do not get these answers."; exit 1 ;;',
  "  11) ;;",
  `  12) [ -n "\${CHECK:-}" ] || { echo ${quoted("The calls get the same answers when they are sent one after the other: the race differs only in the state, which answers do not show (see the top of this script). Check the state now, or set CHECK.")} >&2; exit 2; } ;;`,
  '  13) strayed "the answers of round $round are neither the recorded ones nor those of the calls sent one after the other" ;;',
  '  *) echo "The answers could not be compared." >&2; exit 2 ;;',
  "esac",
  "round=$((round + 1))",
  "done",
  `echo "The race was not seen in $((round - 1)) rounds."`,
];

/** Returns the recorded answers for the comparison: the last answer of each call, in the race and in each order of the calls. */
function recorded(
  { first, second, observed, allowed }: Omit<Race, "toString">,
  calls: readonly (readonly RaceSent[])[],
  hide: Redactor,
): object {
  const answers = (outcome: RaceOutcome): readonly { number: string; status: string; body: string | undefined; of: string }[] =>
    outcome.calls.map(({ requests }, side) => {
      const last = requests.findLast(isHttp);
      return {
        number: String(calls[side]?.at(-1)?.number ?? 0),
        status: last === undefined ? "none" : statusOf(last),
        body: last === undefined ? undefined : comparedBody(last.request, last.response, hide),
        of: thingOfPath(pathOf(last?.request.url ?? "")),
      };
    });
  const [seen, orders] = [answers(observed), allowed.map(answers)];
  const equal = first === second;
  const statuses = (list: ReturnType<typeof answers>): string => {
    const all = list.map(({ status }) => status);
    return (equal ? all.toSorted() : all).join();
  };
  // If the HTTP statuses alone show the race, do not compare bodies, because bodies may differ for other reasons.
  const told = !orders.some((outcome) => statuses(outcome) === statuses(seen));
  const shown = (list: ReturnType<typeof answers>): unknown => (told ? list.map(({ number, status }) => ({ number, status })) : list);
  return { equal, observed: shown(seen), allowed: orders.map(shown) };
}
