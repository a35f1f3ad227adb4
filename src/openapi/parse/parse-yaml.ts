import { Composer, isScalar, Lexer, LineCounter, Parser, type YAMLError } from "yaml";
import { tooDeepIn } from "../../config/read/nesting.ts";
import { problem, quoted } from "../problem.ts";
import { yamlValue } from "./yaml-value.ts";

/** The maximum nesting depth of YAML tokens. Each level of a document takes up to two token levels. */
const DEEPEST = 600;

/**
 * The maximum number of YAML tokens (words, punctuation and spaces) in a file. Parsing takes about 300 bytes per token. GitHub's OpenAPI description
 * (10 MB of YAML) has 1.7 million tokens.
 */
const MOST_PARTS = 4_000_000;

/**
 * Parses YAML.
 * @throws SeqqaError `DESCRIPTION_SYNTAX` with line and column
 */
export function parseYaml(text: string, name: string, warn: (sentence: string) => void): unknown {
  const lines = new LineCounter();
  const where = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${name}:${line}:${col}`;
  };
  refuseHuge(text, name);
  const tokens = [...new Parser(lines.addNewLine).parse(text)];
  const deep = tooDeepIn(tokens, DEEPEST);
  if (deep !== undefined) throw problem("DESCRIPTION_TOO_LARGE", `${where(deep)} is nested more than ${DEEPEST} levels deep.`);
  // `yamlValue` checks for duplicate keys later, because the YAML composer's own check takes quadratic time.
  const composer = new Composer({ uniqueKeys: false, stringKeys: true, prettyErrors: false, logLevel: "silent" });
  const documents = [...composer.compose(tokens, true, text.length)];
  const document = documents.find(
    ({ contents, errors }) => errors.length > 0 || (contents !== null && !(isScalar(contents) && contents.value === null)),
  );
  if (document === undefined) throw problem("DESCRIPTION_SYNTAX", `${name} is empty.`, "Give the file or URL of an OpenAPI description.");
  const error = document.errors[0];
  if (error !== undefined) throw notYaml(error, where(error.pos[0]), text);
  if (documents.length > 1) warn(`${name} contains ${documents.length} YAML documents. seqqa reads only the first one.`);
  return yamlValue(document.contents, {
    duplicate: (key, offset) => warn(`The key ${quoted(key)} appears twice. seqqa uses the last one (${where(offset)}).`),
    broken: (what, offset) =>
      problem(
        "DESCRIPTION_SYNTAX",
        `${where(offset)}: ${what}`,
        "Write this part without aliases and <<, and with text as keys. For repeated parts, use components with $ref.",
      ),
  });
}

/**
 * Throws an error if a text has too many YAML tokens. A text of at most `MOST_PARTS` characters is not counted, because each token has a character.
 */
function refuseHuge(text: string, name: string): void {
  if (text.length <= MOST_PARTS) return;
  let parts = 0;
  for (const _ of new Lexer().lex(text)) {
    if (++parts <= MOST_PARTS) continue;
    throw problem(
      "DESCRIPTION_TOO_LARGE",
      `${name} is too large to be read as YAML: it has more than ${MOST_PARTS.toLocaleString("en")} words and punctuation marks.`,
      "Convert the description to JSON, which needs much less memory.",
    );
  }
}

function notYaml(error: YAMLError, where: string, text: string): Error {
  const json = /^\s*[{[]/.test(text);
  const what = (error.message.split("\n")[0] ?? "").replace(/[.:]?$/, ".");
  return problem(
    "DESCRIPTION_SYNTAX",
    `${where}: this is not valid ${json ? "JSON or YAML" : "YAML"}: ${what}`,
    "Give the file or URL of an OpenAPI description in JSON or YAML.",
  );
}
