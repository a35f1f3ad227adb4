import { fileURLToPath } from "node:url";
import { allowedStores, loadConfig, type Config, type FlagValue } from "../../config/index.ts";
import { bundle, load, type Bundle } from "../../loader/index.ts";
import type { AgentDefinition } from "../../model/declare/agent.ts";
import { SeqqaError } from "../../model/errors.ts";
import { endConnectionDefaults, setConnectionDefaults } from "../../network/connection-settings.ts";
import { explorationOf } from "../../model/declare/exploration.ts";
import { isLoading } from "../../model/declare/loading.ts";
import { refuseUnknown } from "../../model/declare/unknown-options.ts";
import type { ExplorationResult } from "../../model/results/result.ts";
import type { ExplorationKeeper, StoredRun } from "../../run-log/index.ts";
import { readOperations } from "../coverage/read-operations.ts";
import { explore } from "./explore.ts";
import type { UserModule } from "../prepare/user-module.ts";
import { exploreWithServices } from "../prepare/explore-with-services.ts";
import { exploreKept, runToGoOn, type StoredProgressInput } from "../resume/stored-progress.ts";
import { EXPLORE_OPTIONS, type ExploreOptions } from "../prepare/options.ts";
import { withRunDirectory } from "../prepare/run-directory.ts";

/** Implements `agent.explore()`. The lane in this thread uses the given agent object; lanes in other threads import the agent's module. */
export async function exploreAgent(definition: AgentDefinition<never, never>, options: ExploreOptions): Promise<ExplorationResult> {
  if (isLoading()) {
    throw new SeqqaError(
      "EXPLORE_WHILE_LOADING",
      "A module calls explore() at its top level, and seqqa is loading this module for a lane or a run.",
      {
        exitStatus: 2,
        hint: "Move the call of explore() to a function, or to another file that imports the Agent. Every lane imports this module, so each lane would start another exploration.",
      },
    );
  }
  refuseUnknown("explore()", "USAGE", options, EXPLORE_OPTIONS);
  const flags: FlagValue[] = options.parallel === undefined ? [] : [{ key: "parallel", flag: "parallel", value: String(options.parallel) }];
  const config = loadConfig({
    file: options.config,
    flags,
    env: options.config === undefined ? {} : process.env,
    allowedStores: allowedStores([], process.env),
  });
  const name = definition.name ?? (options.module === undefined ? "agent" : nameOf(options.module));
  const kept = options.resume === undefined || options.resume === false ? undefined : await keptRun(name, config, definition, options);
  const operations = await readOperations(config);
  // Set the connection defaults in this thread, too: copies of stores are made before a lane sets its own, and removed after the lane has ended.
  const connections = { ca: config.tls.ca, proxy: config.proxy };
  setConnectionDefaults(connections);
  const ran = exploreWithServices(config, options.signal, async (directory) => {
    const module = options.module === undefined ? undefined : await moduleOf(options.module, directory, definition);
    const exploring = (keep?: ExplorationKeeper): Promise<ExplorationResult> =>
      explore({
        definition,
        module,
        name,
        config,
        directory,
        signal: options.signal,
        onEvent: options.onEvent ?? (() => undefined),
        keep,
        shard: options.shard,
        operations,
      });
    return kept === undefined ? exploring() : exploreKept(kept.input, kept.stored, exploring);
  });
  return ran.finally(() => endConnectionDefaults(connections));
}

/**
 * Returns the run to resume. The field `stored` is `undefined` if a new run has to be started.
 * @throws SeqqaError if the run cannot be resumed with the current code or configuration
 */
async function keptRun(
  name: string,
  config: Config,
  definition: AgentDefinition<never, never>,
  options: ExploreOptions,
): Promise<{ readonly input: StoredProgressInput; readonly stored: StoredRun | undefined }> {
  const { module } = options;
  if (module === undefined) {
    throw new SeqqaError(
      "RESUME_NEEDS_MODULE",
      "explore() got the option `resume` without `module`, so seqqa cannot check if the code has changed since the run that is to be resumed.",
      {
        exitStatus: 2,
        hint: "Call explore() in the file that exports the Agent, and pass it the option `module: import.meta.url`.",
      },
    );
  }
  const code = await withRunDirectory(async (directory) => (await moduleOf(module, directory, definition)).hash);
  const input = { config, definition, name, code, options };
  return { input, stored: runToGoOn(input) };
}

async function moduleOf(url: string, directory: string, definition: AgentDefinition<never, never>): Promise<UserModule> {
  const file = url.startsWith("file:") ? fileURLToPath(url) : url;
  const bundled = await bundle(file, { outDir: directory });
  return { bundle: bundled.file, exportName: await exportNameOf(bundled, definition), literals: bundled.literals, hash: bundled.hash };
}

/** Export names that were already found. The key consists of the source file, the code, and the names of actions and invariants. */
const exportNames: Map<string, string> = new Map();

/**
 * Returns the name of the export that is the explored agent or graph. The actions and invariants identify the export. Results are cached by code,
 * because Node keeps every imported bundle in memory until the process ends.
 */
async function exportNameOf(bundled: Bundle, definition: AgentDefinition<never, never>): Promise<string> {
  const key = JSON.stringify([bundled.source, bundled.hash, signature(definition)]);
  const known = exportNames.get(key);
  if (known !== undefined) return known;
  const found = await findExportName(bundled, definition);
  exportNames.set(key, found);
  return found;
}

async function findExportName(bundled: Pick<Bundle, "file" | "source">, definition: AgentDefinition<never, never>): Promise<string> {
  const exported = await load(bundled);
  const names = Object.keys(exported).filter((name) => {
    const other = explorationOf(exported[name]);
    return other !== undefined && signature(other) === signature(definition);
  });
  const [usual, type] = definition.graph === undefined ? ["agent", "Agent"] : ["graph", "StateGraph"];
  if (names.includes(usual)) return usual;
  if (names.length === 1) return names[0]!;
  const members = definition.graph === undefined ? "actions and invariants" : "nodes, edges and invariants";
  const found =
    names.length === 0
      ? `no ${type} with the same ${members} as the ${type} of explore()`
      : `several such ${type}s, none of them under the name ${usual}`;
  throw new SeqqaError("NO_AGENT", `${bundled.source} exports ${found}.`, {
    exitStatus: 2,
    hint: `Export the ${type} that you explore: export const ${usual} = new ${type}({ ... }).`,
  });
}

function signature({ name, actions, invariants, graph }: AgentDefinition<never, never>): string {
  return JSON.stringify([name, actions.map((action) => action.name), invariants.map((invariant) => invariant.name), graph]);
}

function nameOf(url: string): string {
  return url.replace(/^.*[/\\]/, "").replace(/(\.explore)?\.[mc]?[jt]s$/, "");
}
