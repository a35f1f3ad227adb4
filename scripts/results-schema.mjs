// Generates the JSON Schema of results.json from the types that `seqqa` exports for it. The docstring of each field becomes its description.
import { createGenerator } from "ts-json-schema-generator";

const root = new URL("../", import.meta.url).pathname;

/** Returns the text of seqqa.results.schema.json. */
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

/** Returns a docstring on one line, without `{@link ...}` marks. */
const plain = (text) => text.replace(/\{@link ([^}]*)\}/g, "$1").replace(/\s*\n\s*/g, " ");
