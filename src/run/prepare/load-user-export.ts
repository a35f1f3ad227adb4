import { loadExtension, type ExtensionPlace } from "../../loader/index.ts";
import { withRunDirectory } from "./run-directory.ts";

/** Returns the default export of a module that a flag or the configuration names, imported in this thread. @throws SeqqaError with exit status 2 */
export async function loadUserExport(place: Omit<ExtensionPlace, "outDir">): Promise<unknown> {
  return withRunDirectory(async (outDir) => (await loadExtension({ ...place, outDir })).value);
}
