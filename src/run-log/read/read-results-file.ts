import { readFileSync } from "node:fs";
import type { RunDocument } from "../../reports/index.ts";
import { misfitOf } from "../rows/fits-schema.ts";
import { unreadable } from "./open-run.ts";

const HINT = "Give a results.json that seqqa wrote. seqqa report --format json writes it again.";

/** Reads a `results.json`. @param shown The path as shown in messages. @throws SeqqaError `RUN_UNREADABLE` with exit status 2 */
export function readResultsFile(file: string, shown: string): RunDocument {
  let document: unknown;
  try {
    document = JSON.parse(readFileSync(file, "utf8").replace(/^\ufeff/, ""));
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw unreadable(shown, cause instanceof SyntaxError ? "its content is not JSON" : (code ?? String(cause)), cause, HINT);
  }
  const wrong = misfitOf(document);
  if (wrong !== undefined) throw unreadable(shown, `${wrong} does not fit the format of a seqqa result`, undefined, HINT);
  return document as RunDocument;
}
