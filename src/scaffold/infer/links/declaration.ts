import type { Parameter } from "../../../openapi/operations/description.ts";

/** Returns a text that is equal for parameters with equal name, description and schema, for example for all references to one shared parameter. */
export function declarationOf({ name, description, schema }: Parameter): string {
  return JSON.stringify([name, description, schema]);
}
