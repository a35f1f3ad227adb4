// Generates files from the table of configuration keys: seqqa.schema.json, seqqa.yaml.example, and the table between the markers in
// docs/reference/configuration.md. Also generates seqqa.results.schema.json from the types of a run's document. Needs a build. `--check` writes
// nothing and fails if a file is out of date.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { exampleFile, markdownTable } from "../dist/config/schema/documentation.js";
import { jsonSchema } from "../dist/config/schema/json-schema.js";
import { resultsSchema } from "./results-schema.mjs";

const root = new URL("../", import.meta.url);
const read = (name) => (existsSync(new URL(name, root)) ? readFileSync(new URL(name, root), "utf8") : "");
const [start, end] = ["<!-- config-table -->", "<!-- /config-table -->"];
const TABLE = "docs/reference/configuration.md";
const page = read(TABLE);
const files = {
  "seqqa.schema.json": `${JSON.stringify(jsonSchema(), null, 2)}\n`,
  "seqqa.results.schema.json": resultsSchema(),
  "seqqa.yaml.example": exampleFile(),
  ...(page.includes(start) && page.includes(end)
    ? {
        [TABLE]: `${page.slice(0, page.indexOf(start) + start.length)}\n\n${markdownTable()}\n\n${page.slice(page.indexOf(end))}`,
      }
    : {}),
};

for (const [name, content] of Object.entries(files)) {
  if (read(name) === content) continue;
  if (process.argv.includes("--check")) {
    process.stderr.write(`${name} is out of date: run node scripts/write-config-files.mjs\n`);
    process.exitCode = 1;
  } else {
    writeFileSync(new URL(name, root), content);
  }
}
