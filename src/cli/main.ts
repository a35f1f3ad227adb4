import type * as Engine from "../run/index.ts";
import { CommanderError, type Command } from "commander";
import { completionScript } from "./arguments/completion.ts";
import { buildProgram } from "./arguments/program.ts";
import { errorText } from "./process/error-text.ts";
import { demoDirectory } from "../demo/index.ts";
import { statusOfError, type ExitStatus } from "../run/session/exit-status.ts";
import type { Machinery } from "./run/machinery.ts";
import { processShell, type Shell } from "./process/shell.ts";
import { usageError } from "./arguments/usage-error.ts";
import { packageVersion } from "../reports/document/package-version.ts";

/**
 * Runs one seqqa command and returns its exit status. Never throws.
 * @param argv The arguments, without `node` and the script.
 */
export async function main(
  argv: readonly string[],
  shell: Shell = processShell(),
  machinery: Machinery = lazyMachinery(),
): Promise<ExitStatus> {
  const version = packageVersion();
  const verbose = argv.includes("--verbose");
  let status: ExitStatus = 0;
  const program: Command = buildProgram(version, {
    run: async (named, options) => {
      machinery.startBundler?.();
      status = await (await import("./commands/run-command.ts")).runCommand(named, options, shell, machinery, version);
    },
    list: async (directory, options) =>
      void (status = await (await import("./commands/list-command.ts")).listCommand(directory, options, shell, machinery, version)),
    diff: async (runs, options) => void (status = (await import("./commands/diff-command.ts")).diffCommand(runs, options, shell)),
    suggest: async (named, options) =>
      void (status = await (await import("./commands/suggest-command.ts")).suggestCommand(named, options, shell, machinery)),
    strength: async (named, options) =>
      void (status = await (await import("./commands/strength-command.ts")).strengthCommand(named, options, shell, machinery)),
    merge: async (stores, options) =>
      void (status = await (await import("./commands/merge-command.ts")).mergeCommand(stores, options, shell, machinery, version)),
    worker: async (directory, options) =>
      void (status = await (await import("./commands/worker-command.ts")).workerCommand(directory, options, shell, machinery, version)),
    report: async (options) =>
      void (status = await (await import("./commands/report-command.ts")).reportCommand(options, shell, machinery)),
    try: async (named, actions, options) =>
      void (status = await (await import("./commands/try-command.ts")).tryCommand({ named, actions, options }, shell, machinery)),
    open: async (wanted, options) =>
      void (status = await (await import("./commands/open-command.ts")).openCommand(wanted, options, shell, machinery)),
    ui: async (options) => void (status = await (await import("./commands/ui-command.ts")).uiCommand(options, shell, machinery)),
    replay: async (finding, options) =>
      void (status = await (await import("./commands/replay-command.ts")).replayCommand(finding, options, shell, machinery)),
    completion: (name) => void shell.stdout.write(completionScript(program, name)),
    doctor: async (directory, options) =>
      void (status = await (await import("./commands/doctor-command.ts")).doctorCommand(directory, options, shell, machinery, version)),
    clean: async (directory, options) =>
      void (status = await (await import("./commands/clean-command.ts")).cleanCommand(directory, options, shell, machinery)),
    init: async (directory) => void (status = (await import("./commands/init-command.ts")).initCommand(directory, shell, version)),
    scaffold: async (from, source, options) =>
      void (status = await (await import("./commands/scaffold-command.ts")).scaffoldCommand(from, source, options, shell, version)),
    demo: async (options) => {
      machinery.startBundler?.();
      status = await (await import("./commands/demo-command.ts")).demoCommand(options, shell, machinery);
    },
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
 * Returns functions that import slow modules, such as the engine, when they are first called. Commands such as `--help` therefore start fast.
 * @param prepare Called with the engine each time that a command loads the engine.
 */
export function lazyMachinery(prepare: (engine: typeof Engine) => void = () => undefined): Machinery {
  const engine = async (): Promise<typeof Engine> => {
    const module = await import("../run/index.ts");
    prepare(module);
    return module;
  };
  return {
    exploreFile: async (input) => (await engine()).exploreFile(input),
    withLoadedFiles: async (files, work) => (await engine()).withLoadedFiles(files, work),
    distribute: async (input) => (await engine()).distribute(input),
    work: async (input) => (await engine()).work(input),
    checkResumable: async (input) => (await engine()).checkResumable(input),
    merging: engine,
    codeHashes: async (files) => (await engine()).codeHashes(files),
    importedFiles: async (entry) => (await import("../loader/index.ts")).importedFiles(entry),
    walkFile: async (input, work) => (await engine()).walkFile(input, work),
    replayFile: async (input) => (await engine()).replayFile(input),
    withServices: async (config, options, work) => (await engine()).withServices(config, options, work),
    readOperations: async (config) => (await engine()).readOperations(config),
    withCodeCoverage: async (config, cwd, work) => (await engine()).withCodeCoverage(config, cwd, work),
    startBundler: () => void import("../loader/index.ts").then(({ startBundler }) => startBundler()),
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
