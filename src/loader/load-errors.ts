import type { BuildFailure, Message } from "esbuild";
import { resolve } from "node:path";
import { SeqqaError } from "../model/errors.ts";
import { shownPath } from "./shown-path.ts";

export function isBuildFailure(error: unknown): boolean {
  return Array.isArray((error as Partial<BuildFailure> | undefined)?.errors);
}

/** Returns the error for code that esbuild could not parse, or for an import that it could not resolve. The message quotes the user's line. */
export function syntaxError(failure: BuildFailure, source: string): SeqqaError {
  const [first, ...others] = failure.errors;
  const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
  const quoted = first?.location?.lineText.trim();
  return new SeqqaError(
    "LOAD_SYNTAX",
    `${placeOf(first, source)}: ${first?.text ?? failure.message}${more}.${quoted === undefined ? "" : `\n  | ${quoted}`}`,
    {
      exitStatus: 2,
      hint:
        first?.text.startsWith("Could not resolve") === true
          ? "Check the path in the import, or install the package."
          : "Correct this line.",
      cause: failure,
    },
  );
}

/** Converts an error that Node throws before a module runs: an imported name does not exist, or a package cannot be parsed. */
export function linkError(error: Error, where: string): SeqqaError {
  return new SeqqaError(
    "LOAD_SYNTAX",
    `${where}: ${error.message.replace(/file:\/\/\S*\/(?:src|dist)\/((?:adapters\/)?[\w-]+)(?:\/index)?\.[jt]s/, nameOwn)}.`,
    {
      exitStatus: 2,
      hint: error.message.includes("does not provide an export")
        ? "Check the name in the import, and the exports of the imported module."
        : "Correct this line.",
      cause: error,
    },
  );
}

/** Converts an error that a module threw while it was imported. A SeqqaError keeps its code and hint. */
export function importError(error: unknown, where: string): SeqqaError {
  if (error instanceof SeqqaError) {
    return new SeqqaError(error.code, `${where}: ${error.message}`, { exitStatus: 2, hint: error.hint, cause: error });
  }
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return new SeqqaError("LOAD_THREW", `${where}: the file threw an error when seqqa imported it: ${what}`, {
    exitStatus: 2,
    hint: "Code outside of functions runs when seqqa imports the file. Move code that needs the target into `world` or `setup`.",
    cause: error,
  });
}

function placeOf(message: Message | undefined, source: string): string {
  if (message?.location === undefined || message.location === null) return shownPath(source);
  const { file, line, column } = message.location;
  // esbuild's paths are relative to the folder of the entry file, and its columns count from 0.
  return `${shownPath(resolve(source, "..", file))}:${line}:${column + 1}`;
}

function nameOwn(_: string, name: string): string {
  return name === "index" ? "seqqa" : `seqqa/${name}`;
}
