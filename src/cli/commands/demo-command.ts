import type { Environment } from "../../config/index.ts";
import { configFor } from "../arguments/config-for.ts";
import { SeqqaError } from "../../model/errors.ts";
import type { ExplorationResult } from "../../model/results/result.ts";
import { coloursFor, findingLines, Live, printable, redactResult } from "../../reports/index.ts";
import type { ExitStatus } from "../../run/session/exit-status.ts";
import { nameOfFile } from "../arguments/find-explorations.ts";
import type { Machinery } from "../run/machinery.ts";
import { interruptible } from "../process/interruptible.ts";
import type { Shell } from "../process/shell.ts";

const INTRO = `A small shop is started: real HTTP, one SQLite database, and three defects that no single call shows.
Its orders can be created, paid, shipped, refunded and cancelled. seqqa tries these calls in every state that they
lead to, checks the shop's rules after each, and restores the state. Then it sends pairs of calls at the same time,
and looks for results that neither order of the two gives. Finally it makes each write to the database fail, one at a time.
`;

/** Runs `seqqa demo`: explores the example shop in this package, like `seqqa run --races --faults`. Only the findings are printed. */
export async function demoCommand(options: { readonly verbose?: boolean }, shell: Shell, machinery: Machinery): Promise<ExitStatus> {
  const directory = machinery.demoDirectory();
  const races = { key: "exploration.races", flag: "--races", value: "pairs" };
  const faults = { key: "exploration.faults", flag: "--faults", value: "on" };
  const config = configFor(shell, { directory, flags: [races, faults], env: withoutOurs(shell.env), cwd: directory });
  const entry = (await machinery.discover(directory))[0];
  if (entry === undefined)
    throw new SeqqaError(
      "DEMO_MISSING",
      `The exploration of the demonstration is missing in ${directory}, so the installation of seqqa is damaged.`,
      { hint: "Install seqqa again." },
    );
  const live = new Live({ stderr: shell.stderr, env: shell.env, verbose: options.verbose === true });
  shell.stdout.write(`${INTRO}\n`);
  return await interruptible(shell, live, async (signal) => {
    const name = nameOfFile(entry);
    const result = await machinery.exploreFile({ entry, config, name, signal, onEvent: (event) => live.event(name, event) });
    live.clear();
    if (result === undefined)
      throw new SeqqaError(
        "DEMO_MISSING",
        "The file of the demonstration exports no exploration, so the installation of seqqa is damaged.",
        {
          hint: "Install seqqa again.",
        },
      );
    shell.stdout.write(`${foundLines(redactResult(result, config.report), shell).join("\n")}\n`);
    if (result.stopReason === "interrupted") return 130;
    const confirmed = result.violations.filter((one) => one.confirmed);
    const kinds = [confirmed.some(({ fault }) => fault === undefined), confirmed.some(({ fault }) => fault !== undefined)];
    return kinds.every(Boolean) && result.races.length > 0 ? 0 : 3;
  });
}

function foundLines(result: ExplorationResult, shell: Shell): readonly string[] {
  const colours = coloursFor(shell.stdout, shell.env);
  const { violations, races } = result;
  const found = [
    ...findingLines(result, colours),
    ...(violations.length === 0 ? ["No violation was found."] : []),
    ...(races.length === 0 ? ["No race was found."] : []),
  ];
  const problems = [...result.errors, ...result.divergences].map(({ message }) => `problem: ${message}`);
  return [
    ...found,
    ...problems,
    `${printable(result.verdict.text)}, seed ${result.seed}`,
    "",
    "Next: create a folder for your own API with seqqa init or seqqa scaffold, then explore it with seqqa run <directory>.",
  ];
}

/** Removes all environment variables that configure seqqa, so that the demo gives the same result everywhere. */
function withoutOurs(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("SEQQA_")));
}
