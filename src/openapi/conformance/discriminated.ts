import { entriesOf, isPlain, listOf, own, textOf, type Plain } from "../parse/plain.ts";
import { refOf } from "../normalise/references.ts";

/**
 * A schema whose `discriminator` says which of its alternatives a value is, as one that says so itself: each alternative holds for values of the property that name it, by the mapping
 * or by the last part of its `$ref`. Without alternatives (a base that others extend by `allOf`), it says nothing that could be checked here.
 * @param written As it is in the description. @param copy What is made of it.
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
    // Of one that is written out here, nothing says its name.
    return ref === undefined
      ? schema
      : { allOf: [schema, { properties: { [property]: { enum: namesOf(ref, mapping) } }, required: [property] }] };
  });
  const { [key]: _, ...others } = copy;
  // One that is named is the one, although another one may fit as well.
  return Object.hasOwn(others, "anyOf")
    ? { ...others, allOf: [...listOf(own(others, "allOf")), { anyOf: branches }] }
    : { ...others, anyOf: branches };
}

function namesOf(ref: string, mapping: readonly (readonly [string, unknown])[]): readonly string[] {
  const last = ref.slice(ref.lastIndexOf("/") + 1);
  const mapped = mapping.filter(([, to]) => to === ref || to === last).map(([name]) => name);
  return mapped.length > 0 ? mapped : [last];
}
