import type { ExplorationResult } from "../../model/results/result.ts";
import type { ExploreFileRequest } from "../prepare/explore-request.ts";
import { loadExploration } from "../prepare/load-exploration.ts";
import { withRunDirectory } from "../prepare/run-directory.ts";
import { explore } from "./explore.ts";

/** Loads an exploration file and explores it. @returns `undefined` if the name of the exploration does not contain the text `only` */
export async function exploreFile({ entry, only, distribution, ...request }: ExploreFileRequest): Promise<ExplorationResult | undefined> {
  return withRunDirectory(async (directory) => {
    const { module, definition } = await loadExploration(entry, directory);
    const name = definition.name ?? request.name;
    if (only !== undefined && !name.includes(only)) return undefined;
    const distributed = distribution === undefined ? undefined : { by: distribution, entry };
    return explore({ ...request, name, definition, module, directory, distributed });
  });
}
