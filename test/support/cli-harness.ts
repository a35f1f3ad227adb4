import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { main, type Machinery } from "../../src/cli/index.ts";
import type { ExplorationResult } from "../../src/model/results/result.ts";
import type { Leftover } from "../../src/model/stores/leftover.ts";
import type { Cleaning, StoreCheck } from "../../src/model/stores/store-provider.ts";
import type { ReplayResult } from "../../src/model/results/replay.ts";
import { loadUserExport } from "../../src/run/prepare/load-user-export.ts";
import type { ExploreFileRequest, FoundJourneys, JourneyRun, ReplayFileInput, RunJourneysInput } from "../../src/run/index.ts";
import { atEnd } from "./at-end.ts";
import { result, Sink } from "./results.ts";

/** A folder with files. */
export function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "seqqa-cli-"));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

export interface Outcome {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
  /** What the engine was asked for. */
  readonly inputs: readonly ExploreFileRequest[];
  readonly journeyInputs: readonly RunJourneysInput[];
  readonly replayInputs: readonly ReplayFileInput[];
  readonly exits: readonly number[];
  readonly cleanings: readonly Cleaning[];
}

export interface Setting {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Gets standard error while the command runs. */
  readonly stderr?: Sink;
  /** Stands for the engine. */
  readonly explore?: (
    input: ExploreFileRequest,
    interrupt: () => void,
  ) => Promise<ExplorationResult | undefined> | ExplorationResult | undefined;
  /** The journeys of a configuration's folder. */
  readonly journeys?: (folder: string) => FoundJourneys;
  /** Stands for the lanes that journeys run on. */
  readonly runJourneys?: (input: RunJourneysInput, interrupt: () => void) => readonly JourneyRun[] | Promise<readonly JourneyRun[]>;
  /** Stands for the lane that a path is replayed on. */
  readonly replay?: (input: ReplayFileInput, interrupt: () => void) => ReplayResult | Promise<ReplayResult>;
  /** Somebody sits at a terminal; `interrupt` is Ctrl-C. Default: nobody. */
  readonly waitForEnter?: (signal: AbortSignal, interrupt: () => void) => Promise<void>;
  /** Returns the error of a file that does not load. */
  readonly broken?: (file: string) => Error | undefined;
  /** The agents' own names, by file. */
  readonly names?: Readonly<Record<string, string>>;
  readonly demo?: string;
  /** What the doctor finds. */
  readonly checks?: readonly StoreCheck[];
  /** What is cleaned up. */
  readonly removed?: readonly string[];
  /** What dead runs left in the user's own stores. */
  readonly leftovers?: readonly Leftover[];
  readonly inUse?: readonly string[];
  readonly notAllowed?: readonly string[];
  readonly failures?: readonly unknown[];
  /** Somebody sits at a terminal, and answers so. */
  readonly confirm?: (question: string) => Promise<boolean>;
  readonly distribute?: Machinery["distribute"];
  /** `interrupt` is Ctrl-C. */
  readonly work?: (input: Parameters<Machinery["work"]>[0], interrupt: () => void) => Promise<void>;
}

/** Stands for the bundler: the code of a file is its text and that of the files that it imports. */
export function codeHashes(files: readonly string[]): ReadonlyMap<string, { readonly hash: string; readonly inputs: readonly string[] }> {
  return new Map(
    files.map((file) => {
      const text = readFileSync(file, "utf8");
      const imported = [...text.matchAll(/from "(\.[^"]+)"/g)].map(([, path]) => resolve(dirname(file), path!));
      const inputs = [file, ...imported];
      return [file, { hash: inputs.map((input) => readFileSync(input, "utf8")).join(), inputs }] as const;
    }),
  );
}

/** Stands for the bundler, which follows the imports of a target. */
export const importedFiles = (entry: string): readonly string[] => codeHashes([entry]).get(entry)!.inputs;

const nobody = (): Promise<never> => Promise.reject(new Error("not asked for"));

/** Runs a command line with a shell and an engine of the test's own. */
export async function seqqa(argv: readonly string[], setting: Setting = {}): Promise<Outcome> {
  const [stdout, stderr] = [new Sink(), setting.stderr ?? new Sink()];
  const inputs: ExploreFileRequest[] = [];
  const journeyInputs: RunJourneysInput[] = [];
  const replayInputs: ReplayFileInput[] = [];
  const exits: number[] = [];
  const cleanings: Cleaning[] = [];
  const listeners = new Set<() => void>();
  const interrupt = (): void => listeners.forEach((listener) => listener());
  const machinery: Machinery = {
    exploreFile: async (input) => {
      inputs.push(input);
      return await (setting.explore ?? (() => result()))(input, interrupt);
    },
    withLoadedFiles: (files, work) =>
      work(new Map(files.flatMap((file) => (setting.broken?.(file) === undefined ? [] : [[file, { error: setting.broken(file) }]])))),
    distribute: (input) => (setting.distribute ?? nobody)(input),
    work: (input) => (setting.work ?? nobody)(input, interrupt),
    merging: () => import("../../src/run/index.ts"),
    checkResumable: () => Promise.resolve(new Map()),
    replayFile: (input) => {
      replayInputs.push(input);
      const none: ReplayResult = { steps: [], completed: true, violations: [], errors: [] };
      return Promise.resolve((setting.replay ?? (() => none))(input, interrupt));
    },
    codeHashes: (files) => Promise.resolve(codeHashes(files)),
    importedFiles: (entry) => Promise.resolve(importedFiles(entry)),
    readOperations: nobody,
    withCodeCoverage: nobody,
    walkFile: nobody,
    withServices: (_config, _options, work) => work(),
    discover: async (directory) =>
      (await readdir(directory, { recursive: true }))
        .filter((file) => file.includes(".explore."))
        .sort()
        .map((file) => join(directory, file)),
    describeExplorations: (files) =>
      Promise.resolve({
        explorations: files.map((file) => ({
          file,
          name: setting.names?.[basename(file)],
          kind: "agent" as const,
          actions: 3,
          invariants: 1,
        })),
        unusable: [],
      }),
    findJourneys: (config) => Promise.resolve(setting.journeys?.(config.folder) ?? { journeys: [], unusable: [] }),
    runJourneys: (input) => {
      journeyInputs.push(input);
      return Promise.resolve((setting.runJourneys ?? (() => []))(input, interrupt));
    },
    checkStoreModules: () => Promise.resolve(),
    loadExtension: loadUserExport,
    demoDirectory: () => setting.demo ?? "/nowhere",
    doctor: () => Promise.resolve(setting.checks ?? []),
    clean: (_config, how) => {
      cleanings.push(how ?? {});
      const leftovers = setting.leftovers ?? [];
      if (how?.dryRun !== true) for (const one of leftovers) if (one.keep.length > 0) how?.onKept?.(one);
      const { removed = [], inUse = [], notAllowed = [], failures = [] } = setting;
      return Promise.resolve({ removed, leftovers, inUse, notAllowed, failures });
    },
  };
  const { waitForEnter } = setting;
  const shell = {
    stdout,
    stderr,
    env: setting.env ?? {},
    cwd: setting.cwd ?? process.cwd(),
    onInterrupt: (listener: () => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    waitForEnter: waitForEnter === undefined ? undefined : (signal: AbortSignal) => waitForEnter(signal, interrupt),
    confirm: setting.confirm,
    exit: (status: number) => void exits.push(status),
  };
  const status = await main(argv, shell, machinery);
  if (listeners.size > 0) throw new Error("a command left its signal handler behind");
  return { status, stdout: stdout.text, stderr: stderr.text, inputs, journeyInputs, replayInputs, exits, cleanings };
}
