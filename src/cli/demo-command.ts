import { loadConfig, type Environment } from "../config/index.ts";
import { SeqqaError } from "../model/errors.ts";
import type { ExplorationResult } from "../model/result.ts";
import { coloursFor, completeness, Live, redactResult, violationLines } from "../reports/index.ts";
import type { ExitStatus } from "./exit-status.ts";
import { nameOfFile } from "./find-explorations.ts";
import type { Machinery } from "./machinery.ts";
import { interruptible } from "./interruptible.ts";
import type { Shell } from "./shell.ts";

const INTRO = `A small shop is started: real HTTP, one SQLite database, and a defect that no single call shows.
Its orders can be created, paid, shipped, refunded and cancelled. seqqa tries these calls in every state that they
lead to, checks the shop's rules after each, and puts everything back.
`;

/** `seqqa demo`: the same run as `seqqa run`, on the packaged shop. Only what the run found is printed. */
export async function demoCommand(options: { readonly verbose?: boolean }, shell: Shell, machinery: Machinery): Promise<ExitStatus> {
  const directory = machinery.demoDirectory();
  const config = loadConfig({ directory, env: withoutOurs(shell.env), cwd: directory });
  const entry = (await machinery.discover(directory))[0];
  if (entry === undefined)
    throw new SeqqaError("DEMO_MISSING", `The demonstration is not in ${directory}.`, { hint: "Install seqqa again." });
  const live = new Live({ stderr: shell.stderr, env: shell.env, verbose: options.verbose === true });
  shell.stdout.write(`${INTRO}\n`);
  return await interruptible(shell, live, async (signal) => {
    const name = nameOfFile(entry);
    const result = await machinery.exploreFile({ entry, config, name, signal, onEvent: (event) => live.event(name, event) });
    live.clear();
    if (result === undefined)
      throw new SeqqaError("DEMO_MISSING", "The demonstration declares no exploration.", { hint: "Install seqqa again." });
    shell.stdout.write(`${foundLines(redactResult(result, config.report), shell).join("\n")}\n`);
    if (result.stopReason === "interrupted") return 130;
    return result.violations.some(({ confirmed }) => confirmed) ? 0 : 3;
  });
}

function foundLines(result: ExplorationResult, shell: Shell): readonly string[] {
  const colours = coloursFor(shell.stdout, shell.env);
  const { violations } = result;
  const found =
    violations.length === 0
      ? ["No violation was found."]
      : violations.flatMap((violation, index) => violationLines(violation, index + 1, violations.length, colours));
  const problems = [...result.errors, ...result.divergences].map(({ message }) => `problem: ${message}`);
  return [
    ...found,
    ...problems,
    `${completeness(result)}, seed ${result.seed}`,
    "",
    "Next: write your own actions and rules, then seqqa run <directory>.",
  ];
}

/** The demonstration is the same everywhere: variables that are meant for the user's own runs do not reach it. */
function withoutOurs(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("SEQQA_")));
}
