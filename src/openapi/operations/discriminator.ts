import { entriesOf, isPlain, own, textOf } from "../parse/plain.ts";
import { isWholeFile } from "../read/outside-file.ts";

/** The property of an object whose value names the schema of the object (OpenAPI `discriminator`). */
export interface Discriminator {
  readonly property: string;
  /**
   * The values of the property, with the schemas that they select. Empty if the description has no mapping: the values are then the names of the
   * schemas.
   */
  readonly mapping: readonly (readonly [name: string, to: unknown])[];
}

/** Returns the discriminator that a schema itself declares. OpenAPI 2.0 declares only the name of the property. */
export function discriminatorOf(schema: unknown): Discriminator | undefined {
  const written = isPlain(schema) ? own(schema, "discriminator") : undefined;
  const property = isPlain(written) ? textOf(own(written, "propertyName")) : textOf(written);
  return property === undefined ? undefined : { property, mapping: isPlain(written) ? entriesOf(own(written, "mapping")) : [] };
}

/**
 * Returns the values that select the schema with this `$ref`. Returns an empty list if there is no `$ref`, or if the `$ref` points to a whole file
 * that is not in the mapping.
 */
export function namesOf(ref: string | undefined, discriminator: Discriminator): readonly string[] {
  const mapped = mappedTo(ref, discriminator);
  return mapped.length > 0 || ref === undefined || isWholeFile(ref) ? mapped : [lastOf(ref)];
}

/** Returns the values in the mapping that select the schema with this `$ref`. */
export function mappedTo(ref: string | undefined, { mapping }: Discriminator): readonly string[] {
  return ref === undefined ? [] : mapping.filter(([, to]) => to === ref || to === lastOf(ref)).map(([name]) => name);
}

const lastOf = (ref: string): string => ref.slice(ref.lastIndexOf("/") + 1);
