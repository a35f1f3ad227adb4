import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describeOwn } from "./operations/describe.ts";
import type { ApiDescription } from "./operations/description.ts";
import { FileReader, type Bounds } from "./read/file-reader.ts";
import { parseText } from "./parse/parse-text.ts";
import { readFile } from "./read/read-file.ts";
import { readUrl } from "./read/read-url.ts";
import type { Loaded } from "./read/source.ts";
import { specificationOf } from "./specification.ts";
import { takeInFiles } from "./read/take-in-files.ts";
import { Warnings } from "./warnings.ts";

export { describe } from "./operations/describe.ts";

/**
 * Reads an OpenAPI description of version 2.0, 3.0 or 3.1, in JSON or YAML. Small errors in the description are corrected, or the part with the error
 * is left out, with a warning.
 * @param source A path, or an HTTP or HTTPS URL.
 * @throws SeqqaError exit status 2: `DESCRIPTION_NOT_FOUND`, `DESCRIPTION_UNREADABLE`, `DESCRIPTION_TOO_LARGE`, `DESCRIPTION_SYNTAX`,
 * `DESCRIPTION_NOT_OPENAPI`, `DESCRIPTION_EMPTY` (no operation), `DESCRIPTION_REF_REFUSED` (a `$ref` to the network or outside the folder, without
 * `allowRefs`), `DESCRIPTION_REF`.
 */
export async function readDescription(source: string, options: Bounds): Promise<ApiDescription> {
  const loaded = await load(source, options);
  const warnings = new Warnings();
  const warn = (sentence: string): void => warnings.say(sentence);
  const document = parseText(loaded.text, loaded.name, warn);
  // Reject a document that is not OpenAPI here, before any file that the document refers to is read.
  specificationOf(document, loaded.name);
  await takeInFiles(document, loaded.source, new FileReader(loaded, options, warn), warnings);
  return describeOwn(document, loaded.name, loaded.source.kind === "url" ? loaded.source.url : undefined, warnings);
}

async function load(source: string, options: Bounds): Promise<Loaded> {
  if (/^https?:\/\//i.test(source) && URL.canParse(source)) return readUrl(new URL(source), options.fetch);
  return readFile(/^file:\/\//i.test(source) ? fileURLToPath(source) : resolve(options.cwd, source), options.cwd);
}
