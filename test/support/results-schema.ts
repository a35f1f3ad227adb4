import { readFileSync } from "node:fs";
import { Ajv, type ValidateFunction } from "ajv";

let validate: ValidateFunction | undefined;

/** Returns the violations of the results schema in the package. The list is empty for a valid document. */
export function schemaErrors(document: unknown): readonly string[] {
  validate ??= new Ajv({ strict: true, allowUnionTypes: true, allErrors: true }).compile(
    JSON.parse(readFileSync(new URL("../../seqqa.results.schema.json", import.meta.url), "utf8")) as object,
  );
  if (validate(document)) return [];
  return (validate.errors ?? []).map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`);
}
