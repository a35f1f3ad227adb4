// `npm run structure [-- --json]`: prints figures about the size and structure of `src`, for comparing two commits. `--comments` lists the lines of
// comments that begin with a refused word, `--parameters` lists the functions with too many parameters. Both exit with 1 if they list something, and
// `npm run check` runs both.
import { readFileSync, readdirSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import ts from "typescript";

/** Matches a comment line whose first word describes a thing without naming it. */
const REFUSED = /^(?:What|Of|Those|Who|Whether|As|So)\b/;
const MOST_PARAMETERS = 5;
const SMALL_LINES = 60;

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    comments: { type: "boolean", default: false },
    parameters: { type: "boolean", default: false },
    root: { type: "string" },
  },
});
const root = values.root === undefined ? fileURLToPath(new URL("..", import.meta.url)) : resolve(values.root);
const files = readdirSync(join(root, "src"), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith(".ts") && !entry.name.endsWith(".d.ts"))
  .map((entry) => join(entry.parentPath, entry.name));

/** The comment lines that begin with a refused word, with their file and line number. */
const refused = [];
let comments = 0;
const wide = [];
const importers = new Map(files.map((file) => [file, new Set()]));
let functions = 0;
for (const file of files) read(file);

if (values.comments)
  refuse(refused, 'lines of comments begin with a word that names nothing; begin with a verb ("Returns ...") or with the thing itself.');
if (values.parameters)
  refuse(wide, `functions have more than ${MOST_PARAMETERS} parameters; pass values that belong together as one object with a named type.`);
if (!values.comments && !values.parameters) report();

function refuse(found, why) {
  for (const line of found) console.error(line);
  if (found.length === 0) return;
  console.error(`${found.length} ${why}`);
  process.exitCode = 1;
}

function report() {
  const folders = new Map();
  for (const file of files) folders.set(dirname(file), (folders.get(dirname(file)) ?? 0) + 1);
  const largest = [...folders].toSorted((a, b) => b[1] - a[1]).map(([folder, count]) => [relative(root, folder), count]);
  const single = files.filter((file) => {
    const [one, ...others] = importers.get(file);
    const isSmall = readFileSync(file, "utf8").split("\n").length - 1 <= SMALL_LINES;
    return isSmall && one !== undefined && others.length === 0 && dirname(one) === dirname(file) && basename(file) !== "index.ts";
  });
  const counted = {
    files: files.length,
    folders: folders.size,
    largestFolders: Object.fromEntries(largest.slice(0, 8)),
    foldersAbove20: largest.filter(([, count]) => count > 20).length,
    smallFilesWithOneImporterBesideThem: single.length,
    comments,
    commentLinesWithRefusedFirstWord: refused.length,
    functions,
    functionsWithMoreThanFiveParameters: wide.length,
  };
  if (values.json) console.log(JSON.stringify({ ...counted, single: single.map((file) => relative(root, file)), wide }, undefined, 1));
  else
    for (const [name, value] of Object.entries(counted))
      console.log(`${name.replaceAll(/[A-Z]/g, (one) => ` ${one.toLowerCase()}`)}: ${JSON.stringify(value)}`);
}

function read(file) {
  const text = readFileSync(file, "utf8");
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const own = new Map();
  const take = (ranges) => {
    for (const { pos, end } of ranges ?? []) own.set(pos, end);
  };
  const visit = (node) => {
    take(ts.getLeadingCommentRanges(text, node.getFullStart()));
    take(ts.getTrailingCommentRanges(text, node.getEnd()));
    if (ts.isFunctionLike(node) && node.body !== undefined) {
      functions++;
      if (node.parameters.length > MOST_PARAMETERS)
        wide.push(`${relative(root, file)}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`);
    }
    const from = ts.isImportDeclaration(node) || ts.isExportDeclaration(node) ? node.moduleSpecifier : undefined;
    if (from !== undefined && from.text.startsWith(".")) importers.get(resolve(dirname(file), from.text))?.add(file);
    for (const child of node.getChildren(source)) visit(child);
  };
  visit(source);
  let before = -1;
  for (const [pos, end] of [...own].toSorted(([one], [other]) => one - other)) {
    const first = source.getLineAndCharacterOfPosition(pos).line + 1;
    const lines = text.slice(pos, end).split("\n");
    // Consecutive lines with `//` count as one comment.
    if (!text.startsWith("//", pos) || first !== before + 1) comments++;
    before = text.startsWith("//", pos) ? first : -1;
    for (const [index, line] of lines.entries()) {
      const words = line.replace(/^\s*(?:\/\*\*?|\/\/|\*)\s*/, "");
      if (REFUSED.test(words)) refused.push(`${relative(root, file)}:${first + index}: ${words.slice(0, 100)}`);
    }
  }
}
