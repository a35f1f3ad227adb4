import type { Parameter } from "../../../openapi/operations/description.ts";

/** Returns the same text for parameters with the same name, description and schema, as references to one parameter are. */
export function declarationOf({ name, description, schema }: Parameter): string {
  return JSON.stringify([name, description, schema]);
}
