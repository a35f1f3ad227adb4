import { readFileSync } from "node:fs";
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import addFormats from "ajv-formats";

const read = (name: string): unknown => JSON.parse(readFileSync(new URL(name, import.meta.url), "utf8"));

/** Returns a validator with `strict: false`: both schemas were written for older drafts, and ajv then ignores keywords such as `optional`. */
function ajv(): Ajv {
  const made = new Ajv({ strict: false, allErrors: true, logger: false, unicodeRegExp: false });
  addFormats.default(made);
  return made;
}

const places = (errors: readonly ErrorObject[] | null | undefined): readonly string[] =>
  (errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);

/** Compiled once: that takes longer than all validations of a file of tests. */
let sarif: ValidateFunction | undefined;
let har: ValidateFunction | undefined;

/** Returns the violations of the schema of SARIF 2.1.0 (errata 01, as in the package `@microsoft/jest-sarif`), as texts. */
export function sarifErrors(document: unknown): readonly string[] {
  sarif ??= compiledSarif();
  void sarif(document);
  return places(sarif.errors);
}

/** Returns the violations of the schema of HAR 1.2 (the package `har-schema`), as texts. */
export function harErrors(document: unknown): readonly string[] {
  har ??= compiledHar();
  void har(document);
  return places(har.errors);
}

function compiledSarif(): ValidateFunction {
  const { $schema: _draft, id: _id, ...schema } = read("sarif/sarif-2.1.0-rtm.5.json") as Readonly<Record<string, unknown>>;
  return ajv().compile(schema);
}

function compiledHar(): ValidateFunction {
  const made = ajv();
  for (const { $schema: _draft, ...schema } of read("har/har-schema-2.0.0.json") as readonly Readonly<Record<string, unknown>>[]) {
    made.addSchema(schema);
  }
  return made.getSchema("har.json#")! as ValidateFunction;
}
