import { pathToFileURL } from "node:url";
import type { Bundle } from "./bundle.ts";
import { whileLoading } from "../model/declare/loading.ts";
import { importError, linkError } from "./load-errors.ts";
import { shownPath } from "./shown-path.ts";
import { sourceOf, whereOf, whereOfLink } from "./stack.ts";

/**
 * Imports a bundle in this thread. Repeated calls for the same file return the same module.
 * @throws SeqqaError `LOAD_THREW`, or the code of the SeqqaError that the module threw; `LOAD_SYNTAX` if an imported name is not exported. Exit
 * status 2.
 */
export async function load(bundle: Pick<Bundle, "file">): Promise<Record<string, unknown>> {
  try {
    return await whileLoading(async () => (await import(/* @vite-ignore */ pathToFileURL(bundle.file).href)) as Record<string, unknown>);
  } catch (error) {
    const link = error instanceof SyntaxError ? whereOfLink(error) : undefined;
    if (link !== undefined) throw linkError(error as SyntaxError, link);
    throw importError(error, whereOf(error) ?? shownPath(sourceOf(bundle.file) ?? bundle.file));
  }
}
