import { mendSchema } from "./mend-schema.ts";
import { entriesOf, isPlain, own, put, type Plain } from "../parse/plain.ts";
import { refOf, type References } from "./references.ts";
import { movedRef, Version2 } from "./version-2.ts";
import { placeOf, pointerOf, walk, type Visit } from "./walk.ts";
import { quoted } from "../problem.ts";
import type { Warnings } from "../warnings.ts";

/**
 * Converts an OpenAPI document of version 2.0 or 3.0 to 3.1, in place. In all versions, invalid values and unresolvable `$ref`s are removed. The
 * caller must have made all `$ref`s local. Objects are recognised by their position, so examples that look like schemas, and properties named `$ref`,
 * are not changed.
 */
export function normalise(document: Plain, specification: string, references: References, warnings: Warnings): void {
  const version2 = specification.startsWith("2.") ? new Version2(references) : undefined;
  const old = !/^3\.[1-9]/.test(specification);
  const visit = ({ node, kind, place }: Visit): readonly Visit[] | undefined => {
    const warn = (sentence: string): void => warnings.add(pointerOf(place), sentence);
    const target = followed(node, version2 !== undefined, references, warn);
    if (version2 !== undefined && target === undefined) convert(version2, node, kind);
    if (kind === "schema") mendSchema(node, old, warn);
    if (target === undefined) return undefined;
    return [{ node: target, kind, place: placeOf(refOf(node) ?? "#") }];
  };
  walk([{ node: document, kind: "document", place: undefined }], visit);
  takeInPathItems(document, references);
  delete document["swagger"];
  document["openapi"] = old ? "3.1.0" : specification;
  references.forget();
}

function convert(version2: Version2, node: Plain, kind: Visit["kind"]): void {
  switch (kind) {
    case "document":
    case "pathItem":
    case "operation":
    case "parameter":
    case "header":
      return version2[kind](node);
    case "response":
      return version2.response(node);
    default:
  }
}

/** Returns the object to which the `$ref` of a node points. If the `$ref` cannot be resolved, removes it with a warning and returns `undefined`. */
function followed(node: Plain, moved: boolean, references: References, warn: (sentence: string) => void): Plain | undefined {
  const written = refOf(node);
  if (written === undefined) {
    if (Object.hasOwn(node, "$ref")) {
      delete node["$ref"];
      warn("A $ref is not text, and is left out");
    }
    return undefined;
  }
  const ref = moved ? movedRef(written) : written;
  if (ref !== written) node["$ref"] = ref;
  const target = references.target(ref);
  // A target that is an object can be another reference. Any other target, such as the schema `true`, needs no further step.
  const end = isPlain(target) ? references.end(target) : target;
  if (isPlain(target) && end !== undefined && end !== node) return target;
  if (typeof target === "boolean") return undefined;
  delete node["$ref"];
  warn(
    `The $ref ${quoted(ref)} ${target === undefined ? "leads nowhere" : "refers to itself, or to a chain of too many references"}, and is left out`,
  );
  return undefined;
}

/** Replaces path items that are only a `$ref` with their targets. The JSON pointer of every operation then begins with its URL path. */
function takeInPathItems(document: Plain, references: References): void {
  const paths = own(document, "paths");
  for (const [path, item] of entriesOf(paths)) {
    if (refOf(item) === undefined) continue;
    const target = references.object(item);
    const { $ref: _, ...beside } = item as Plain;
    if (target !== undefined) put(paths as Plain, path, { ...target, ...beside });
  }
}
