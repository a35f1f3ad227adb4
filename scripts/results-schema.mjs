// The JSON Schema of results.json, made from the types that `seqqa` exports for it: every field with the text that stands above it there.
import { createGenerator } from "ts-json-schema-generator";

const root = new URL("../", import.meta.url).pathname;

/** The text of seqqa.results.schema.json. */
export function resultsSchema() {
  const { definitions, ...rest } = createGenerator({
    path: `${root}src/reports/document/document-types.ts`,
    tsconfig: `${root}tsconfig.json`,
    type: "RunDocument",
    functions: "hide",
    skipTypeCheck: true,
    sortProps: false,
  }).createSchema("RunDocument");
  const schema = { ...rest, title: "results.json of seqqa", definitions };
  return `${JSON.stringify(schema, (key, value) => (key === "description" ? plain(value) : value), 2)}\n`;
}

/** Without the marks of docstrings, on one line. */
const plain = (text) => text.replace(/\{@link ([^}]*)\}/g, "$1").replace(/\s*\n\s*/g, " ");
