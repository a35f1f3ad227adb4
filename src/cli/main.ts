import type * as Engine from "../run/index.ts";
import { CommanderError, type Command } from "commander";
import { cleanCommand } from "./commands/clean-command.ts";
import { completionScript } from "./arguments/completion.ts";
import { diffCommand } from "./commands/diff-command.ts";
import { doctorCommand } from "./commands/doctor-command.ts";
import { buildProgram } from "./arguments/program.ts";
import { demoCommand } from "./commands/demo-command.ts";
import { errorText } from "./process/error-text.ts";
import { demoDirectory } from "../demo/index.ts";
import { statusOfError, type ExitStatus } from "../run/session/exit-status.ts";
import { initCommand } from "./commands/init-command.ts";
import { listCommand } from "./commands/list-command.ts";
import type { Machinery } from "./run/machinery.ts";
import { mergeCommand } from "./commands/merge-command.ts";
import { replayCommand } from "./commands/replay-command.ts";
import { reportCommand } from "./commands/report-command.ts";
import { runCommand } from "./commands/run-command.ts";
import { scaffoldCommand } from "./commands/scaffold-command.ts";
import { processShell, type Shell } from "./process/shell.ts";
import { usageError } from "./arguments/usage-error.ts";
import { packageVersion } from "../reports/document/package-version.ts";
import { openCommand } from "./commands/open-command.ts";
import { strengthCommand } from "./commands/strength-command.ts";
import { suggestCommand } from "./commands/suggest-command.ts";
import { tryCommand } from "./commands/try-command.ts";
import { uiCommand } from "./commands/ui-command.ts";
import { workerCommand } from "./commands/worker-command.ts";

/** Runs one command line, without `node` and the script. Returns the exit status and never throws. */
export async function main(
  argv: readonly string[],
  shell: Shell = processShell(),
  machinery: Machinery = lazyMachinery(),
): Promise<ExitStatus> {
  const version = packageVersion();
  const verbose = argv.includes("--verbose");
  let status: ExitStatus = 0;
  const program: Command = buildProgram(version, {
    run: async (named, options) => void (status = await runCommand(named, options, shell, machinery, version)),
    list: async (directory, options) => void (status = await listCommand(directory, options, shell, machinery, version)),
    diff: (runs, options) => void (status = diffCommand(runs, options, shell)),
    suggest: async (named, options) => void (status = await suggestCommand(named, options, shell, machinery)),
    strength: async (named, options) => void (status = await strengthCommand(named, options, shell, machinery)),
    merge: async (stores, options) => void (status = await mergeCommand(stores, options, shell, machinery, version)),
    worker: async (directory, options) => void (status = await workerCommand(directory, options, shell, machinery, version)),
    report: async (options) => void (status = await reportCommand(options, shell, machinery)),
    try: async (named, actions, options) => void (status = await tryCommand({ named, actions, options }, shell, machinery)),
    open: async (wanted, options) => void (status = await openCommand(wanted, options, shell, machinery)),
    ui: async (options) => void (status = await uiCommand(options, shell, machinery)),
    replay: async (finding, options) => void (status = await replayCommand(finding, options, shell, machinery)),
    completion: (name) => void shell.stdout.write(completionScript(program, name)),
    doctor: async (directory, options) => void (status = await doctorCommand(directory, options, shell, machinery, version)),
    clean: async (directory, options) => void (status = await cleanCommand(directory, options, shell, machinery)),
    init: (directory) => void (status = initCommand(directory, shell, version)),
    scaffold: async (from, source, options) => void (status = await scaffoldCommand(from, source, options, shell, version)),
    demo: async (options) => void (status = await demoCommand(options, shell, machinery)),
  });
  for (const command of [program, ...program.commands.flatMap((one) => [one, ...one.commands])]) {
    command
      .exitOverride()
      .configureOutput({ writeOut: (text) => shell.stdout.write(text), writeErr: () => undefined, outputError: () => undefined });
  }
  try {
    if (argv.length === 0) {
      shell.stderr.write(program.helpInformation());
      return 2;
    }
    await program.parseAsync(argv, { from: "user" });
    return status;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    const failure = error instanceof CommanderError ? usageError(error, program) : error;
    shell.stderr.write(`${errorText(failure, verbose && !(error instanceof CommanderError))}\n`);
    return statusOfError(failure);
  }
}

/**
 * Loads slow modules only when a command needs them: `--help` does not wait for the engine. `prepare` is called with the engine before its first use.
 */
export function lazyMachinery(prepare: (engine: typeof Engine) => void = () => undefined): Machinery {
  const engine = async (): Promise<typeof Engine> => {
    const module = await import("../run/index.ts");
    prepare(module);
    return module;
  };
  return {
    exploreFile: async (input) => (await engine()).exploreFile(input),
    distribute: async (input) => (await engine()).distribute(input),
    work: async (input) => (await engine()).work(input),
    checkResumable: async (input) => (await engine()).checkResumable(input),
    merging: engine,
    codeHashes: async (files) => (await engine()).codeHashes(files),
    walkFile: async (input, work) => (await engine()).walkFile(input, work),
    replayFile: async (input) => (await engine()).replayFile(input),
    withServices: async (config, options, work) => (await engine()).withServices(config, options, work),
    discover: async (directory) => (await import("../loader/index.ts")).discover(directory),
    describeExplorations: async (files) => (await engine()).describeExplorations(files),
    findJourneys: async (config) => (await engine()).findJourneys(config),
    runJourneys: async (input) => (await engine()).runJourneys(input),
    checkStoreModules: async (config) => (await engine()).checkStoreModules(config),
    loadExtension: async (place) => (await engine()).loadUserExport(place),
    demoDirectory,
    doctor: async (config) => (await engine()).doctor(config),
    clean: async (config, how) => (await engine()).clean(config, how),
  };
}
