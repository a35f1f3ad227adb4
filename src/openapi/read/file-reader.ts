import { realpathSync } from "node:fs";
import { dirname, sep } from "node:path";
import { sourceOf } from "./outside-file.ts";
import { parseText } from "../parse/parse-text.ts";
import type { Plain } from "../parse/plain.ts";
import { problem, quoted } from "../problem.ts";
import { readFile } from "./read-file.ts";
import { readUrl, type Fetch } from "./read-url.ts";
import type { Loaded, Source } from "./source.ts";

const MOST_FILES = 2000;
/** The maximum number of characters in a description and all files that it refers to. */
const MOST_TEXT = 128 * 1024 * 1024;

export interface Bounds {
  readonly cwd: string;
  readonly allowRefs: boolean;
  readonly fetch?: Fetch | undefined;
}

export interface ReadFile {
  readonly source: Source;
  readonly root: Plain;
}

/** Reads the files to which an OpenAPI description refers. URLs, and files outside the description's folder, are read only if `allowRefs` is set. */
export class FileReader {
  readonly #description: Loaded;
  readonly #bounds: Bounds;
  readonly #warn: (sentence: string) => void;
  #files = 0;
  #text = 0;

  constructor(description: Loaded, bounds: Bounds, warn: (sentence: string) => void) {
    this.#description = description;
    this.#bounds = bounds;
    this.#warn = warn;
  }

  /**
   * Reads the file to which a `$ref` points.
   * @param at The position of the `$ref` as a JSON pointer.
   * @throws SeqqaError `DESCRIPTION_REF_REFUSED` if the reference is not allowed, `DESCRIPTION_REF` if the file cannot be read.
   */
  async read(ref: string, from: Source, at: string): Promise<ReadFile> {
    const where = `${this.#description.name} refers to ${quoted(ref)} (at ${quoted(`#${at}`).slice(1, -1)})`;
    const source = sourceOf(ref, from);
    if (source === undefined)
      throw problem(
        "DESCRIPTION_REF",
        `${where}, which is neither a file nor an http or https URL.`,
        "Put the referenced part into a file next to the description.",
      );
    this.#check(source, from, where);
    if (++this.#files > MOST_FILES)
      throw problem("DESCRIPTION_TOO_LARGE", `${where}, but seqqa follows references to at most ${MOST_FILES} other files.`);
    const loaded = await this.#load(source, where);
    if ((this.#text += loaded.text.length) > MOST_TEXT)
      throw problem("DESCRIPTION_TOO_LARGE", `${this.#description.name} and the files that it refers to are too large together.`);
    return { source: loaded.source, root: parseText(loaded.text, loaded.name, this.#warn) };
  }

  #check(source: Source, from: Source, where: string): void {
    if (source.kind === "file" && from.kind === "url") {
      throw problem(
        "DESCRIPTION_REF_REFUSED",
        `${where}, a file on this machine. seqqa never follows such references of a description from a URL, not even with --allow-refs.`,
        "Save the description to a file, check its references, and give that file.",
      );
    }
    if (this.#bounds.allowRefs) return;
    const refused =
      source.kind === "url"
        ? `, which is at ${source.url.host}`
        : this.#isInside(source.path)
          ? undefined
          : ", which is outside its own folder";
    if (refused === undefined) return;
    throw problem(
      "DESCRIPTION_REF_REFUSED",
      `${where}${refused}. seqqa follows such references only with --allow-refs.`,
      "Check the reference. If you trust it, pass --allow-refs.",
    );
  }

  /** Returns `true` if a file is in the description's folder, both by its path and after its symbolic links are resolved. */
  #isInside(path: string): boolean {
    const { source } = this.#description;
    if (source.kind !== "file") return false;
    const folder = dirname(source.path);
    const below = folder.endsWith(sep) ? folder : folder + sep;
    if (!path.startsWith(below)) return false;
    try {
      return realpathSync(path).startsWith(below);
    } catch {
      // The file does not exist. Return `true`, so that the caller tries to read the file and reports this error.
      return true;
    }
  }

  async #load(source: Source, where: string): Promise<Loaded> {
    try {
      return source.kind === "file" ? await readFile(source.path, this.#bounds.cwd) : await readUrl(source.url, this.#bounds.fetch);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw problem(
        "DESCRIPTION_REF",
        `${where}, which seqqa cannot read: ${why}`,
        "Check the reference. Its path is relative to the file that contains the reference.",
        cause,
      );
    }
  }
}
