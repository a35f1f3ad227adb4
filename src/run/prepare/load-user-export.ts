import { loadExtension, type ExtensionPlace } from "../../loader/index.ts";
import { withRunDirectory } from "./run-directory.ts";

/** Imports a module that a flag or the configuration names, and returns its default export. @throws SeqqaError with exit status 2 */
export async function loadUserExport(place: Omit<ExtensionPlace, "outDir">): Promise<unknown> {
  return withRunDirectory(async (outDir) => (await loadExtension({ ...place, outDir })).value);
}
