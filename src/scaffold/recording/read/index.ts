import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { SeqqaError } from "../../../model/errors.ts";
import { problem } from "../../../openapi/problem.ts";
import { checkSize } from "../../../openapi/read/check-size.ts";
import { readFile } from "../../../openapi/read/read-file.ts";
import type { Recording } from "../recorded-call.ts";
import { parseHar } from "./parse-har.ts";
import { parsePostman } from "./parse-postman.ts";

const KINDS = {
  har: {
    parse: parseHar,
    is: "a HAR archive",
    hint: 'Export an archive from a browser, with "Save all as HAR" in the network tab of the developer tools.',
  },
  postman: {
    parse: parsePostman,
    is: "a Postman collection",
    hint: "Export the collection, and not an environment, in the format v2.1.",
  },
} as const;

/**
 * Reads recorded traffic from a HAR archive or a Postman collection.
 * @throws SeqqaError exit status 2: `DESCRIPTION_NOT_FOUND`, `DESCRIPTION_UNREADABLE`, `DESCRIPTION_TOO_LARGE`, `DESCRIPTION_SYNTAX`,
 * `RECORDING_INVALID`
 */
export async function readRecording(from: "har" | "postman", source: string, cwd: string): Promise<Recording> {
  const { parse, is, hint } = KINDS[from];
  const { text, name } = await readText(/^file:\/\//i.test(source) ? fileURLToPath(source) : resolve(cwd, source), cwd, is);
  let document: unknown;
  try {
    document = JSON.parse(text.replace(/^\ufeff/, ""));
  } catch (cause) {
    throw problem("DESCRIPTION_SYNTAX", `${name} is not JSON, so it is not ${is}.`, hint, cause);
  }
  checkSize(document, name);
  const recording = parse(document, name);
  if (recording !== undefined) return recording;
  throw new SeqqaError("RECORDING_INVALID", `${name} is not ${is}.`, { exitStatus: 2, hint });
}

async function readText(path: string, cwd: string, is: string): Promise<{ readonly text: string; readonly name: string }> {
  try {
    return await readFile(path, cwd);
  } catch (error) {
    if (!(error instanceof SeqqaError) || error.code !== "DESCRIPTION_NOT_FOUND") throw error;
    throw problem("DESCRIPTION_NOT_FOUND", error.message, `Give the file of ${is}.`);
  }
}
