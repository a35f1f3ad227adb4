import { basename, dirname, relative, resolve, sep } from "node:path";
import { loadConfig, type Config, type Environment } from "../../config/index.ts";
import { harText, printable, raceVitestText, vitestText, type VitestInput } from "../../reports/index.ts";
import type { ExplorationEntry, FoundFinding, FoundRace, FoundViolation } from "../arguments/find-finding.ts";
import { drawsByName } from "../arguments/draws-by-action.ts";
import { usage } from "../arguments/run-options.ts";
import { refuseGone } from "../../run/replay/refuse-gone.ts";

export const EMITTERS = ["curl", "vitest", "har"] as const;
export type Emitter = (typeof EMITTERS)[number];

export interface EmitPlace {
  /** The absolute path of the exploration file. */
  readonly entry: string;
  readonly config: Config;
  readonly cwd: string;
  readonly env: Environment;
  readonly startedAt: string;
}

/**
 * Converts a finding to a script, a test or a HAR archive that sends its requests.
 * @throws SeqqaError with exit status 2 if the finding has no requests to send, or the exploration file of a test does not exist
 */
export function emitted(emitter: Emitter, found: FoundFinding, place: EmitPlace): string {
  if (emitter === "har") return archiveOf(found, place.startedAt);
  if (found.kind === "violation" && found.violation.fault !== undefined) {
    throw usage(
      "--emit cannot write a script or test for this finding, because seqqa itself made a database write fail.",
      "Run seqqa replay without --emit. The replay makes the same write fail again.",
    );
  }
  if (emitter === "vitest") {
    refuseGone(place.entry);
    refuseUnreachable(place);
    return found.kind === "race" ? raceTestOf(found, place) : testOf(found, place);
  }
  const { curl } = found.kind === "race" ? found.race : found.violation;
  if (curl !== undefined) return curl;
  throw usage(
    "--emit curl found no HTTP requests in this finding. Either the API runs in the process of seqqa, or the reports contain no requests.",
    "Use --emit vitest instead. If report.include_request_response is false, set it to true and run again.",
  );
}

/**
 * Throws an error if no configuration file contains the URL of the target, because the test would not know the URL. The configuration file itself is
 * required, too: without it, `replay()` in the test reads no URL, not even from environment variables.
 * @throws SeqqaError with exit status 2
 */
function refuseUnreachable({ config: { file, baseUrl }, cwd, env }: EmitPlace): void {
  if (baseUrl === undefined) return;
  if (file === undefined) {
    throw usage(
      "--emit vitest cannot write a test without a seqqa.yaml, because the test would not know the URL of the target.",
      "Write base_url: <url> to a seqqa.yaml in this folder, and run seqqa replay again.",
    );
  }
  const { baseUrl: own, target, lanes } = loadConfig({ file, cwd, env });
  if (own !== undefined || target !== undefined || lanes.length > 0) return;
  throw usage(
    `--emit vitest cannot write a test, because ${printable(basename(file))} does not contain the URL of the target.`,
    "Write base_url: <url> to this file, and run seqqa replay again.",
  );
}

function archiveOf(found: FoundFinding, startedAt: string): string {
  const taken =
    found.kind === "race" ? [...found.race.steps, ...found.race.observed.calls] : [...found.violation.steps, ...checksOf(found.violation)];
  const exchanges = taken
    .flatMap(({ action, requests }) => requests.map((one) => ({ ...one, step: action })))
    .filter(({ request }) => /^https?:/.test(request.url) && URL.canParse(request.url));
  if (exchanges.length > 0) return harText(exchanges, startedAt);
  throw usage(
    "--emit har found no HTTP requests in this finding. Either the API runs in the process of seqqa, the finding was not replayed, or the reports contain no requests.",
    "Use --emit vitest instead. If report.include_request_response is false, set it to true and run again.",
  );
}

const checksOf = ({ invariant, checks = [] }: FoundViolation["violation"]): FoundViolation["violation"]["steps"] => [
  { action: `check of ${invariant}`, status: null, requests: checks },
];

function testOf({ exploration, violation }: FoundViolation, place: EmitPlace): string {
  return vitestText({ violation, ...moduleOf(exploration, place), draws: drawsByName(violation.draws, exploration) });
}

function raceTestOf({ exploration, race }: FoundRace, place: EmitPlace): string {
  return raceVitestText({ race, ...moduleOf(exploration, place), draws: drawsByName(race.draws, exploration) });
}

function moduleOf(
  exploration: ExplorationEntry,
  { config, cwd, entry }: EmitPlace,
): Pick<VitestInput, "exportName" | "module" | "config" | "seed" | "nextSecond"> {
  const here = (path: string): string => {
    const way = relative(cwd, path).split(sep).join("/");
    return way.startsWith("../") ? way : `./${way}`;
  };
  return {
    exportName: exploration.deadEdges === undefined ? "agent" : "graph",
    module: here(entry),
    config: config.file === undefined ? undefined : here(resolve(dirname(config.file), config.file)),
    seed: exploration.seed,
    nextSecond: exploration.nextSecond,
  };
}
