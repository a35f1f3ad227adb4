import { SeqqaError } from "../../model/errors.ts";
import { loadExploration } from "./load-exploration.ts";
import { withRunDirectory } from "./run-directory.ts";

export interface DescribedExploration {
  /** The absolute path of the exploration file. */
  readonly file: string;
  /** The name of the agent or graph; `undefined` if it has none. */
  readonly name: string | undefined;
  readonly kind: "agent" | "graph";
  /** The number of actions. For a state graph, the number of edges. */
  readonly actions: number;
  readonly invariants: number;
}

/** An exploration file that cannot be loaded, or that exports no exploration. */
export interface UnusableFile {
  readonly file: string;
  readonly error: SeqqaError;
}

/** Returns a summary of each exploration file. Only the top level of the files' modules is executed. */
export async function describeExplorations(
  files: readonly string[],
): Promise<{ readonly explorations: readonly DescribedExploration[]; readonly unusable: readonly UnusableFile[] }> {
  const explorations: DescribedExploration[] = [];
  const unusable: UnusableFile[] = [];
  if (files.length === 0) return { explorations, unusable };
  await withRunDirectory(async (directory) => {
    for (const file of files) {
      try {
        const { definition } = await loadExploration(file, directory);
        const { name, actions, invariants, graph } = definition;
        explorations.push({
          file,
          name,
          kind: graph === undefined ? "agent" : "graph",
          actions: actions.length,
          invariants: invariants.length,
        });
      } catch (error) {
        if (!(error instanceof SeqqaError)) throw error;
        unusable.push({ file, error });
      }
    }
  });
  return { explorations, unusable };
}
