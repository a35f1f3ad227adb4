import { entriesOf, isPlain, listOf, own, textOf, type Plain } from "../parse/plain.ts";
import { refOf } from "../normalise/references.ts";

/**
 * Rewrites a schema with a `discriminator` so that a validator can check it: each alternative applies to values whose property names it, by the
 * mapping or by the last part of its `$ref`. Without alternatives (a base that others extend by `allOf`), there is nothing to check here.
 * @param written The schema in the description. @param copy The copy that is made of it.
 */
export function discriminated(written: Plain, copy: Plain): Plain {
  const discriminator = own(written, "discriminator");
  const property = isPlain(discriminator) ? textOf(own(discriminator, "propertyName")) : undefined;
  const key = ["oneOf", "anyOf"].find((name) => Array.isArray(own(written, name)));
  if (!isPlain(discriminator) || property === undefined || key === undefined) return copy;
  const mapping = entriesOf(own(discriminator, "mapping"));
  const branches = listOf(written[key]).map((branch, index) => {
    const ref = refOf(branch);
    const schema = listOf(copy[key])[index];
    // An alternative that is written out here has no name.
    return ref === undefined
      ? schema
      : { allOf: [schema, { properties: { [property]: { enum: namesOf(ref, mapping) } }, required: [property] }] };
  });
  const { [key]: _, ...others } = copy;
  // The named alternative is the right one, although another may match as well.
  return Object.hasOwn(others, "anyOf")
    ? { ...others, allOf: [...listOf(own(others, "allOf")), { anyOf: branches }] }
    : { ...others, anyOf: branches };
}

function namesOf(ref: string, mapping: readonly (readonly [string, unknown])[]): readonly string[] {
  const last = ref.slice(ref.lastIndexOf("/") + 1);
  const mapped = mapping.filter(([, to]) => to === ref || to === last).map(([name]) => name);
  return mapped.length > 0 ? mapped : [last];
}
