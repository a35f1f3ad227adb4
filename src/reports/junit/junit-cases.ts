import type { Race, RunError } from "../../model/results/result.ts";
import { isAtLeast } from "../../model/declare/severity.ts";
import { grouped } from "../console/text/numbers.ts";
import type { ExplorationEntry, JourneyEntry, RunDocument } from "../document/document-types.ts";
import { cut } from "../console/text/printable.ts";
import { faultRows } from "../console/summary/fault-coverage-text.ts";
import { raceRows } from "../console/summary/race-coverage-text.ts";
import { raceName, raceText, verdictText } from "../console/findings/race-text.ts";
import { isUnjudged, NOT_CHECKED } from "../console/summary/rules-text.ts";
import { doubtOf, violationText } from "../console/findings/violation-text.ts";

/** The largest number of characters of a request or response body. results.json contains the whole body. */
const BODY = 20_000;

/**
 * The outcome of a test case that did not pass. `failure`: the target is wrong. `error`: the run could not judge the target. `skipped`: the run did
 * not execute the test case.
 */
export interface Outcome {
  readonly kind: "failure" | "error" | "skipped";
  readonly type: string;
  readonly message: string;
  readonly text?: string;
}

export interface Case {
  readonly name: string;
  readonly classname: string;
  /** The duration in milliseconds; absent if it was not measured. An exploration checks all rules together, so a single rule has no duration. */
  readonly ms?: number | undefined;
  readonly outcome?: Outcome | undefined;
  /** A text for the reader of a test case that passed. */
  readonly output?: string | undefined;
}

/** Returns the test cases of an exploration: one for each invariant, race, action and other problem, and one for all faults together. */
export function explorationCases(entry: ExplorationEntry, failOn: RunDocument["failOnSeverity"]): readonly Case[] {
  const { name, violations, errors, divergences, coverage, stopReason } = entry;
  const invariants = [...new Set([...entry.invariants, ...violations.map(({ invariant }) => invariant)])];
  const actions = Object.entries(coverage.actions);
  const ofAction = (source: string): boolean => Object.hasOwn(coverage.actions, source);
  return [
    ...invariants.map((invariant) => invariantCase(entry, invariant, failOn, errors)),
    ...raceCases(entry, failOn),
    ...faultCases(entry),
    ...actions.map(([action, { applied, skipped, brought }]): Case => {
      const own = errors.filter(({ source }) => source === action);
      const never = { kind: "skipped", type: "never_applied", message: `never applied, skipped ${grouped(skipped)} times` } as const;
      return {
        name: action,
        classname: `${name}.actions`,
        outcome: errorOf(own) ?? (applied === 0 && brought !== true ? never : undefined),
      };
    }),
    ...errors
      .filter(({ source }) => !ofAction(source) && !invariants.includes(source))
      .map((error, index): Case => ({ name: `${error.source} ${index + 1}`, classname: `${name}.run`, outcome: errorOf([error]) })),
    ...divergences.map(({ kind, message, path, differences }, index): Case => ({
      name: `${kind} ${index + 1}`,
      classname: `${name}.run`,
      outcome: { kind: "error", type: kind, message, text: [`path: ${path.join(" -> ")}`, ...differences].join("\n") },
    })),
    ...entry.unverified.map((message, index): Case => ({
      name: `unverified ${index + 1}`,
      classname: `${name}.run`,
      outcome: { kind: "error", type: "unverified", message },
    })),
    ...(stopReason === "interrupted" ? [interruptedCase(entry)] : []),
  ];
}

function interruptedCase(entry: ExplorationEntry): Case {
  const message = `interrupted: ${entry.verdict.text}`;
  return { name: "interrupted", classname: `${entry.name}.run`, outcome: { kind: "error", type: "interrupted", message } };
}

function invariantCase(
  entry: ExplorationEntry,
  invariant: string,
  failOn: RunDocument["failOnSeverity"],
  errors: readonly RunError[],
): Case {
  const base = { name: invariant, classname: `${entry.name}.invariants` };
  const found = entry.violations.filter((one) => one.invariant === invariant);
  const races = entry.races.filter((one) => one.invariant === invariant);
  const [first] = found.filter((one) => fails(one, failOn)).toSorted((a, b) => Number(b.confirmed) - Number(a.confirmed));
  const text = [...found.map(violationText), ...races.map(raceText)].join("\n\n");
  if (first !== undefined) {
    const doubt = doubtOf(first);
    const kind = doubt === undefined ? "failure" : "error";
    return { ...base, ms: replayMs(first), outcome: { kind, type: doubt?.word ?? first.severity, message: first.message, text } };
  }
  const race = races.find((one) => fails(one, failOn));
  if (race !== undefined) return { ...base, outcome: { kind: "failure", type: race.severity, message: race.message, text } };
  const error = errorOf(errors.filter(({ source }) => source === invariant));
  if (text !== "") return { ...base, outcome: error, output: text };
  const skipped = { kind: "skipped", type: "not_checked", message: NOT_CHECKED } as const;
  return { ...base, outcome: error ?? (isUnjudged(invariant, entry) ? skipped : undefined) };
}

/** Returns `true` if a finding makes the run fail. */
function fails({ known, severity }: Pick<Race, "known" | "severity">, failOn: RunDocument["failOnSeverity"]): boolean {
  return known !== true && failOn !== "none" && isAtLeast(severity, failOn);
}

/** Returns the total duration of a finding's recorded requests in milliseconds; `undefined` if no requests were recorded. */
function replayMs({ steps, checks = [] }: ExplorationEntry["violations"][number]): number | undefined {
  const sent = [...steps.flatMap(({ requests }) => requests), ...checks];
  return sent.length === 0 ? undefined : sent.reduce((sum, { durationMs }) => sum + durationMs, 0);
}

/** Returns one test case for each race. If races were searched for and none was found, one test case says that no race was found. */
function raceCases(entry: ExplorationEntry, failOn: RunDocument["failOnSeverity"]): readonly Case[] {
  const { races, raceCoverage } = entry;
  const base = { classname: `${entry.name}.races` };
  const probed = raceRows(entry)
    .map(([word, text]) => `${word}: ${text}`)
    .join("\n");
  if (races.length === 0)
    return raceCoverage === undefined ? [] : [{ ...base, name: "races", ms: raceCoverage.durationMs, output: probed }];
  return races.map((race): Case => {
    const name = `${raceName(race)} (${verdictText(race)})`;
    const text = raceText(race);
    if (!fails(race, failOn)) return { ...base, name, output: text };
    return { ...base, name, outcome: { kind: "failure", type: race.severity, message: race.message, text } };
  });
}

/** Returns one test case with the fault coverage. Findings of faults are in the test cases of their rules. */
function faultCases(entry: ExplorationEntry): readonly Case[] {
  const { name, faultCoverage } = entry;
  if (faultCoverage === undefined) return [];
  const output = faultRows(entry)
    .map(([word, text]) => `${word}: ${text}`)
    .join("\n");
  return [{ classname: `${name}.faults`, name: "faults", ms: faultCoverage.durationMs, output }];
}

function errorOf(errors: readonly RunError[]): Outcome | undefined {
  const [first] = errors;
  if (first === undefined) return undefined;
  const text = errors.map(({ message, path, where }) =>
    [message, `path: ${path.join(" -> ")}`, ...(where === undefined ? [] : [`where: ${where}`])].join("\n"),
  );
  return { kind: "error", type: first.code, message: first.message, text: text.join("\n\n") };
}

/** Returns one test case for each step of a journey, and one for each reason why the journey did not run or its stores could not be restored. */
export function journeyCases({ name, steps, errors, divergences, interrupted }: JourneyEntry): readonly Case[] {
  return [
    ...steps.map((step): Case => {
      const last = step.requests.at(-1);
      const answer = last?.response === undefined ? (last?.error ?? "") : `${last.response.status} ${cut(last.response.body, BODY)}`;
      const sent = last === undefined ? [] : [`request: ${last.request.method} ${last.request.url}`, `response: ${answer}`];
      const text = [
        ...(step.error === undefined ? [] : [step.error]),
        ...sent,
        ...(step.where === undefined ? [] : [`where: ${step.where}`]),
      ].join("\n");
      const base = { name: step.name, classname: name, ms: step.durationMs };
      if (step.status === "passed") return base;
      if (step.status === "skipped") return { ...base, outcome: { kind: "skipped", type: "skipped", message: step.error ?? "skipped" } };
      // An interrupted step says nothing about the target, so report it as an error and not as a failure.
      if (step.status === "failed" && interrupted === true) {
        return { ...base, outcome: { kind: "error", type: "interrupted", message: step.error ?? "interrupted", text } };
      }
      return { ...base, outcome: { kind: "failure", type: step.status, message: step.error ?? step.status.replace("_", " "), text } };
    }),
    ...errors.map((error): Case => ({ name: error.source, classname: `${name}.run`, outcome: errorOf([error]) })),
    ...divergences.map(({ kind, message, differences }): Case => ({
      name: kind,
      classname: `${name}.run`,
      outcome: { kind: "error", type: kind, message, text: differences.join("\n") },
    })),
  ];
}
