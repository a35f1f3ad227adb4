import { checkSize } from "../read/check-size.ts";
import { parseJson } from "./parse-json.ts";
import { isPlain, type Plain } from "./plain.ts";
import { problem } from "../problem.ts";
import { parseYaml } from "./parse-yaml.ts";

/**
 * Parses JSON or YAML text to an object. Text that looks like JSON but is not valid JSON is parsed as YAML, because the YAML parser reports the
 * positions of errors.
 * @param name The file or URL, for messages.
 * @param warn Receives a sentence about each corrected error, with its line.
 * @throws SeqqaError `DESCRIPTION_SYNTAX`, `DESCRIPTION_TOO_LARGE`
 */
export function parseText(text: string, name: string, warn: (sentence: string) => void): Plain {
  const bare = text.replace(/^\uFEFF/, "");
  const first = /\S/.exec(bare)?.[0];
  if (first === undefined) throw problem("DESCRIPTION_SYNTAX", `${name} is empty.`, "Give the file or URL of an OpenAPI description.");
  if (first === "<") {
    const what = /^\s*<(!doctype\s+html|html)/i.test(bare) ? "an HTML page" : "XML or HTML";
    throw problem(
      "DESCRIPTION_NOT_OPENAPI",
      `${name} is ${what}, not an OpenAPI description.`,
      "Give the URL from which the page loads the description; it ends in .json or .yaml.",
    );
  }
  const value = "{[/".includes(first) ? parseJson(bare) : undefined;
  const parsed = value === undefined ? parseYaml(bare, name, warn) : value;
  checkSize(parsed, name);
  if (isPlain(parsed)) return parsed;
  throw problem(
    "DESCRIPTION_NOT_OPENAPI",
    `${name} holds ${Array.isArray(parsed) ? "a list" : "a single value"}, not the keys and values of an OpenAPI description.`,
    'A description begins with a line such as "openapi: 3.1.0".',
  );
}
