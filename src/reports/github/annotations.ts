import { isAtLeast } from "../../model/declare/severity.ts";
import type { ExplorationEntry, JourneyEntry, RunDocument } from "../document/document-types.ts";
import { plural } from "../console/text/numbers.ts";
import { raceName, raceText } from "../console/findings/race-text.ts";
import { doubtOf, violationText } from "../console/findings/violation-text.ts";
import type { Annotation, Level } from "./commands.ts";

/** The largest number of annotations of one level (error, warning, notice) that GitHub shows for a step. */
const SHOWN = 10;

/**
 * Returns annotations for lines of the user's code. Divergences, errors, other reasons for an unverified result, and findings that make the run fail
 * have the level `error`; other findings have `warning`. A notice counts the annotations that GitHub would not show.
 */
export function annotations(document: RunDocument): readonly Annotation[] {
  const all = [
    ...document.failures.map(({ file, code, message, hint }) => error(`seqqa: ${code}`, [message, hint ?? ""].join("\n").trim(), { file })),
    ...document.explorations.flatMap((entry) => ofExploration(entry, document.failOnSeverity)),
    ...document.journeys.flatMap(ofJourney),
  ];
  const of = (level: Level): readonly Annotation[] => all.filter((one) => one.level === level);
  const [errors, warnings] = [of("error"), of("warning")];
  const shown = [...errors.slice(0, SHOWN), ...warnings.slice(0, SHOWN)];
  const left = [
    ...(errors.length > SHOWN ? [plural(errors.length - SHOWN, "error")] : []),
    ...(warnings.length > SHOWN ? [plural(warnings.length - SHOWN, "warning")] : []),
  ];
  if (left.length === 0) return shown;
  const message = `${left.join(" and ")} are not shown here, because GitHub limits the annotations of a step. See the job summary or the reports of the run.`;
  return [...shown, { level: "notice", title: "seqqa", message }];
}

type Place = Pick<Annotation, "file" | "line" | "col">;

function ofExploration(
  { name, file, violations, races, errors, divergences, unverified }: ExplorationEntry,
  failOn: RunDocument["failOnSeverity"],
): readonly Annotation[] {
  return [
    ...violations
      .filter(({ known }) => known !== true)
      .map((one): Annotation => {
        const fails = one.confirmed && failOn !== "none" && isAtLeast(one.severity, failOn);
        const doubt = doubtOf(one);
        const title = `${one.severity.toUpperCase()} ${one.invariant}${doubt === undefined ? "" : ` (${doubt.word})`}`;
        return {
          level: fails ? "error" : "warning",
          title,
          message: `${name}: ${violationText(one)}\n  id        ${one.id}`,
          ...placeOf(one.where, file),
        };
      }),
    ...races
      .filter(({ known }) => known !== true)
      .map((race): Annotation => ({
        level: failOn !== "none" && isAtLeast(race.severity, failOn) ? "error" : "warning",
        title: `${race.severity.toUpperCase()} race ${raceName(race)}`,
        message: `${name}: ${raceText(race)}\n  id        ${race.id}`,
        ...placeOf(race.where, file),
      })),
    ...errors.map(({ code, message, source, where, path }) =>
      error(`${code} in ${source}`, `${name}: ${message}\n  path      ${path.join(" -> ")}`, placeOf(where, file)),
    ),
    ...divergences.map(({ kind, message, path, hint }) =>
      error(
        `Divergence (${kind.replaceAll("_", " ")})`,
        [`${name}: ${message}`, `  path      ${path.join(" -> ")}`, hint ?? ""].join("\n").trimEnd(),
        { file },
      ),
    ),
    ...unverified.map((why) => error("Unverified", `${name}: ${why}`, { file })),
  ];
}

function ofJourney({ name, file, steps, errors, divergences, interrupted }: JourneyEntry): readonly Annotation[] {
  const ended = steps.find(({ status }) => status === "failed" || status === "timed_out");
  return [
    ...(ended === undefined || interrupted === true
      ? []
      : [
          error(
            `Journey ${name}: ${ended.name} ${ended.status.replace("_", " ")}`,
            ended.error ?? ended.status,
            placeOf(ended.where, file),
          ),
        ]),
    ...errors.map(({ code, message, where }) => error(`${code} in journey ${name}`, message, placeOf(where, file))),
    ...divergences.map(({ message }) => error(`State not restored after journey ${name}`, message, { file })),
  ];
}

const error = (title: string, message: string, place: Place): Annotation => ({ level: "error", title, message, ...place });

/** Parses a location in the user's code such as `shop.explore.ts:12:5`. If the location has no line, the result contains only `file`. */
function placeOf(where: string | undefined, file: string): Place {
  const [, path, line, col] = /^(.+):(\d+):(\d+)$/s.exec(where ?? "") ?? [];
  return path === undefined ? { file } : { file: path, line: Number(line), col: Number(col) };
}
