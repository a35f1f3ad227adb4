import { isAbsolute } from "node:path";
import { pathToFileURL } from "node:url";
import type { ApiRequest } from "../../model/http/response.ts";
import type { Severity } from "../../model/declare/severity.ts";
import type { RecordedResponse } from "../../model/results/result.ts";
import { cut, printable, printableLines } from "../console/text/printable.ts";
import { raceName, raceText } from "../console/findings/race-text.ts";
import { doubtOf, violationText } from "../console/findings/violation-text.ts";
import type { ExplorationEntry } from "../document/document-types.ts";

/** `MESSAGE`, `BODY`: the largest numbers of characters of a message and of a body. results.json contains the whole texts. */
const MESSAGE = 4000;
const BODY = 2000;

const LEVELS: Readonly<Record<Severity, "error" | "warning" | "note">> = {
  critical: "error",
  high: "error",
  medium: "warning",
  low: "note",
};

export interface Found {
  readonly ruleId: string;
  readonly severity: Severity;
  readonly message: string;
  readonly text: string;
  readonly id: string;
  readonly where: string | undefined;
  readonly known: boolean;
  readonly count: number;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly steps: readonly { readonly action: string; readonly status: number | null }[];
  readonly request?: ApiRequest | undefined;
  readonly response?: RecordedResponse | undefined;
}

/** Returns the findings of an exploration. The SARIF rule of a violation is the broken rule; the SARIF rule of a race is the verdict of the race. */
export function foundIn({ name, violations, races }: ExplorationEntry): readonly Found[] {
  return [
    ...violations.map((one): Found => ({
      ...one,
      ruleId: one.invariant,
      text: violationText(one),
      where: one.where,
      known: one.known === true,
      properties: { exploration: name, severity: one.severity, confirmed: one.confirmed, doubt: doubtOf(one)?.text },
      steps: one.steps.length > 0 ? one.steps : one.reproductionPath.map((action) => ({ action, status: null })),
    })),
    ...races.map((race): Found => ({
      ...race,
      ruleId: `race-${race.verdict.replace("_", "-")}`,
      text: raceText(race),
      where: race.where,
      known: race.known === true,
      properties: { exploration: name, severity: race.severity, confirmed: true, calls: raceName(race) },
      steps: [...race.steps, ...race.observed.calls],
    })),
  ];
}

/** Returns a finding as a SARIF `result`. If the location of the finding in the user's code is unknown, the location is the beginning of `file`. */
export function sarifResult({ where, steps, request, response, ...found }: Found, file: string, ruleIndex: number): object {
  const place = locationOf(where, file);
  return {
    ruleId: printable(found.ruleId),
    ruleIndex,
    kind: "fail",
    level: LEVELS[found.severity],
    message: { text: `${cut(printableLines(found.text), MESSAGE)}\n  id        ${printable(found.id)}` },
    locations: [place],
    // Use the id of the finding, which is the same in every run, so that viewers recognize the finding.
    partialFingerprints: { "seqqaFinding/v1": printable(found.id) },
    occurrenceCount: Math.max(1, found.count),
    ...(steps.length === 0
      ? {}
      : { codeFlows: [{ threadFlows: [{ locations: steps.map((step, index) => stepOf(step, index, place)) }] }] }),
    ...(request === undefined ? {} : { webRequest: requestOf(request) }),
    ...(response === undefined ? {} : { webResponse: responseOf(response) }),
    ...(found.known ? { suppressions: [{ kind: "external", status: "accepted", justification: "listed in known_findings" }] } : {}),
    properties: found.properties,
  };
}

/**
 * Converts a location in the user's code such as `shop.explore.ts:12:5` to a SARIF location. If the location has no line, returns the first line of
 * `file`.
 */
export function locationOf(where: string | undefined, file: string): { readonly physicalLocation: object } {
  const [, path = file, line, column] = /^(.+):(\d+):(\d+)$/s.exec(where ?? "") ?? [];
  const region = Number(line) >= 1 && Number(column) >= 1 ? { startLine: Number(line), startColumn: Number(column) } : { startLine: 1 };
  return { physicalLocation: { artifactLocation: uriOf(path), region } };
}

function uriOf(path: string): object {
  if (isAbsolute(path)) return { uri: pathToFileURL(path).href };
  const shown = printable(path).split(/[\\/]/).map(encodeURIComponent).join("/");
  return { uri: shown, uriBaseId: "%SRCROOT%" };
}

function stepOf({ action, status }: Found["steps"][number], index: number, place: object): object {
  const text = `${index + 1}. ${printable(action)}${status === null ? "" : `: ${status}`}`;
  return { location: { ...place, message: { text } }, executionOrder: index + 1 };
}

function requestOf({ method, url, headers, body }: ApiRequest): object {
  return {
    protocol: "http",
    version: "1.1",
    method: printable(method),
    target: printable(url),
    headers: headersOf(headers),
    ...bodyOf(body),
  };
}

function responseOf({ status, headers, body }: RecordedResponse): object {
  return { protocol: "http", version: "1.1", statusCode: status, headers: headersOf(headers), ...bodyOf(body) };
}

const headersOf = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [printable(name), printable(value)]));

const bodyOf = (body: unknown): object =>
  typeof body === "string" && body !== "" ? { body: { text: cut(printableLines(body), BODY) } } : {};
