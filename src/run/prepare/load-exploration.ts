import { bundle, load } from "../../loader/index.ts";
import type { AgentDefinition } from "../../model/declare/agent.ts";
import { SeqqaError } from "../../model/errors.ts";
import { explorationOf } from "../../model/declare/exploration.ts";
import type { UserModule } from "./user-module.ts";

export interface LoadedExploration {
  readonly module: UserModule;
  readonly definition: AgentDefinition<never, never>;
}

/**
 * Bundles and imports an exploration file.
 * @param directory The directory for the bundle.
 * @throws SeqqaError `LOAD_*`, `NO_AGENT`, `TWO_EXPLORATIONS`
 */
export async function loadExploration(file: string, directory: string): Promise<LoadedExploration> {
  const bundled = await bundle(file, { outDir: directory });
  const { definition, exportName } = exportedBy(await load(bundled), file);
  return { module: { bundle: bundled.file, exportName, literals: bundled.literals, hash: bundled.hash }, definition };
}

/** The export name for each type of exploration: an agent or a state graph. */
const EXPORTS = { agent: "Agent", graph: "StateGraph" } as const;

function exportedBy(
  exported: Readonly<Record<string, unknown>>,
  file: string,
): { readonly definition: AgentDefinition<never, never>; readonly exportName: string } {
  const given = (Object.keys(EXPORTS) as (keyof typeof EXPORTS)[]).filter((name) => exported[name] !== undefined);
  const [exportName] = given;
  if (exportName === undefined) {
    const names = Object.keys(exported);
    const found = names.length === 0 ? "exports nothing" : `exports ${names.join(", ")}`;
    throw unusable(`${file} ${found}, but an exploration file must export \`agent\` or \`graph\`.`, "agent");
  }
  if (given.length > 1) {
    throw new SeqqaError("TWO_EXPLORATIONS", `${file} exports both \`agent\` and \`graph\`, but a file can contain only one exploration.`, {
      exitStatus: 2,
      hint: "Move `graph` to another file, for example orders-graph.explore.ts.",
    });
  }
  const definition = explorationOf(exported[exportName]);
  if (definition === undefined || (exportName === "graph") !== (definition.graph !== undefined)) {
    throw unusable(
      `${file} exports ${exportName === "agent" ? "an" : "a"} \`${exportName}\` that is not ${exportName === "agent" ? "an" : "a"} ${EXPORTS[exportName]}.`,
      exportName,
    );
  }
  return { definition, exportName };
}

function unusable(message: string, exportName: keyof typeof EXPORTS): SeqqaError {
  const type = EXPORTS[exportName];
  return new SeqqaError("NO_AGENT", message, {
    exitStatus: 2,
    hint: `Write: export const ${exportName} = new ${type}({ ... }), with ${type} imported from "seqqa".`,
  });
}
