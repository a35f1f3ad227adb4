import type { ExplorationResult } from "../../model/results/result.ts";
import type { ExploreFileRequest, LoadedFile, LoadedFiles } from "../prepare/explore-request.ts";
import { loadExploration } from "../prepare/load-exploration.ts";
import { withRunDirectory } from "../prepare/run-directory.ts";
import { explore } from "./explore.ts";

/**
 * Loads all exploration files before the first one is explored. Calls `work` with the loaded files, and with an error for each file that cannot be
 * loaded. The bundles exist until `work` has ended.
 */
export async function withLoadedFiles(files: readonly string[], work: (loaded: LoadedFiles) => Promise<void>): Promise<void> {
  const loaded = new Map<string, LoadedFile>();
  const loadNext = (place: number): Promise<void> => {
    const file = files[place];
    if (file === undefined) return work(loaded);
    return withRunDirectory(async (directory) => {
      loaded.set(
        file,
        await loadExploration(file, directory).then(
          (one) => ({ ...one, directory }),
          (error: unknown) => ({ error }),
        ),
      );
      return loadNext(place + 1);
    });
  };
  return loadNext(0);
}

/**
 * Explores an exploration file, and loads the file first if necessary.
 * @returns `undefined` if the name of the exploration does not contain the text `only`
 * @throws SeqqaError
 */
export async function exploreFile({ loaded, ...request }: ExploreFileRequest): Promise<ExplorationResult | undefined> {
  if (loaded === undefined) {
    return withRunDirectory(async (directory) =>
      exploreFile({ ...request, loaded: { ...(await loadExploration(request.entry, directory)), directory } }),
    );
  }
  if ("error" in loaded) throw loaded.error;
  const { entry, only, distribution, ...rest } = request;
  const name = loaded.definition.name ?? request.name;
  if (only !== undefined && !name.includes(only)) return undefined;
  const distributed = distribution === undefined ? undefined : { by: distribution, entry };
  return explore({ ...rest, ...loaded, name, distributed });
}
