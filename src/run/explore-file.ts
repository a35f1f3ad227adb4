import type { Config } from "../config/index.ts";
import type { ExplorationEvent } from "../engine/events.ts";
import { bundle, load } from "../loader/index.ts";
import { AgentDefinition } from "../model/agent.ts";
import { SeqqaError } from "../model/errors.ts";
import type { ExplorationResult } from "../model/result.ts";
import { explore } from "./explore.ts";
import { withRunDirectory } from "./run-directory.ts";

export interface ExploreFileInput {
  /** The `*.explore.*` file. */
  readonly entry: string;
  readonly config: Config;
  /** The name when the agent has none. */
  readonly name: string;
  readonly signal: AbortSignal;
  readonly onEvent: (event: ExplorationEvent) => void;
  /** Only when the exploration's name contains this. */
  readonly only?: string | undefined;
}

/** Loads one exploration file and runs it. `undefined`: its name does not contain `only`. */
export async function exploreFile(input: ExploreFileInput): Promise<ExplorationResult | undefined> {
  return withRunDirectory(async (directory) => {
    const bundled = await bundle(input.entry, { outDir: directory });
    const exported = await load(bundled);
    const definition = agentOf(exported, input.entry);
    const name = definition.name ?? input.name;
    if (input.only !== undefined && !name.includes(input.only)) return undefined;
    return explore({
      definition,
      module: { bundle: bundled.file, exportName: "agent", literals: bundled.literals },
      name,
      config: input.config,
      directory,
      signal: input.signal,
      onEvent: input.onEvent,
    });
  });
}

function agentOf(exported: Readonly<Record<string, unknown>>, file: string): AgentDefinition<never, never> {
  const agent = exported["agent"];
  if (agent instanceof AgentDefinition) return agent as AgentDefinition<never, never>;
  const names = Object.keys(exported);
  const found =
    agent !== undefined
      ? "exports an `agent` that is not an Agent"
      : names.length === 0
        ? "exports nothing"
        : `exports ${names.join(", ")}`;
  throw new SeqqaError("NO_AGENT", `${file} ${found}; an exploration exports \`agent\`.`, {
    exitStatus: 2,
    hint: 'Write: export const agent = new Agent({ ... }), with Agent imported from "seqqa".',
  });
}
