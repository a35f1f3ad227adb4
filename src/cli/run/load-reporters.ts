import {
  detectAgent,
  inertOutput,
  onGithub,
  REPORT_FORMAT_NAMES,
  REPORTER_NAMES,
  Reporters,
  REPORTERS,
  userReporter,
  type ReporterOptions,
} from "../../reports/index.ts";
import { SeqqaError } from "../../model/errors.ts";
import { alternatives } from "../../model/text/alternatives.ts";
import { nearest } from "../../model/text/nearest.ts";
import { usage } from "../arguments/run-options.ts";
import type { Machinery } from "./machinery.ts";

/**
 * Loads the reporters that `--reporter` names: any number of the user's reporters, and at most one of seqqa's, because all of these write to standard
 * output. Without the flag, loads `agent` if an AI coding agent runs the command, else the first reporter in `REPORTER_NAMES`.
 * @param cwd The folder from which paths and packages are resolved.
 * @throws SeqqaError with exit status 2 if a reporter cannot be loaded, or if several reporters of seqqa are named
 */
export async function loadReporters(
  given: readonly string[] | undefined,
  options: ReporterOptions,
  { cwd, machinery }: { readonly cwd: string; readonly machinery: Pick<Machinery, "loadExtension"> },
): Promise<Reporters> {
  const names = given ?? [detectAgent(options.env) === undefined ? REPORTER_NAMES[0]! : "agent"];
  const isBuiltIn = (name: string): boolean => Object.hasOwn(REPORTERS, name);
  const [builtIn, another] = new Set(names.filter(isBuiltIn));
  if (another !== undefined)
    throw usage(
      `--reporter ${builtIn} and --reporter ${another} cannot be combined, because both write to standard output.`,
      "Give one of them. The file results.json contains the document of --reporter json.",
    );
  const facts = builtIn === undefined ? undefined : REPORTERS[builtIn];
  const inert = inertOn(options, facts?.writes ?? "text");
  const own = [...new Set(names)].filter((name) => !isBuiltIn(name));
  const users = await Promise.all(
    own.map(async (name, index) => {
      const exported = await loaded(name, cwd, machinery);
      return userReporter(exported, { ...inert, name, isAlone: facts === undefined && index === 0 });
    }),
  );
  return new Reporters([...(facts === undefined ? [] : [facts.create(inert)]), ...users]);
}

async function loaded(name: string, cwd: string, machinery: Pick<Machinery, "loadExtension">): Promise<unknown> {
  if (name.trim() === "")
    throw usage(
      "--reporter has an empty value.",
      `Give ${alternatives(REPORTER_NAMES)}, a path such as ./mine.ts, or the name of a package.`,
    );
  try {
    return await machinery.loadExtension({ name, key: "--reporter", folder: cwd });
  } catch (error) {
    if (!(error instanceof SeqqaError) || error.code !== "EXTENSION_MISSING") throw error;
    const hint = hintFor(name);
    throw hint === undefined ? error : new SeqqaError(error.code, error.message, { exitStatus: 2, hint, cause: error });
  }
}

function hintFor(name: string): string | undefined {
  if (REPORT_FORMAT_NAMES.includes(name))
    return `${name} is a format of reports. Add it to report.formats, or type after the run: seqqa report --format ${name}`;
  const near = nearest(name, REPORTER_NAMES);
  return near === undefined ? undefined : `Did you mean ${near}?`;
}

/** Makes workflow commands in the output harmless on GitHub Actions, because texts of the target may contain such commands. */
function inertOn(options: ReporterOptions, writes: "text" | "json"): ReporterOptions {
  const { stdout, stderr, env } = options;
  return onGithub(env) ? { ...options, stdout: inertOutput(stdout, writes), stderr: inertOutput(stderr, "text") } : options;
}
