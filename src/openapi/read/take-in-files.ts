import type { Kind } from "../normalise/grammar.ts";
import type { FileReader } from "./file-reader.ts";
import { FILES, fragmentOf, keyOf, sourceOf } from "./outside-file.ts";
import { entriesOf, isPlain, listOf, own, put, type Plain } from "../parse/plain.ts";
import { lookUp, step } from "../parse/pointer.ts";
import { quoted } from "../problem.ts";
import { refOf } from "../normalise/references.ts";
import type { Source } from "./source.ts";
import { placeOf, pointerOf, walk, type Seen, type Visit } from "../normalise/walk.ts";
import type { Warnings } from "../warnings.ts";

interface File {
  readonly root: Plain;
  readonly source: Source;
  readonly pointer: string;
  readonly seen: Seen;
}

interface Outward {
  readonly node: Plain;
  readonly kind: Kind;
  readonly ref: string;
  readonly from: File;
  readonly at: string;
}

/** An entry of a discriminator's mapping, with the alternative (`branch`) to which the entry refers. */
interface Mapped {
  readonly mapping: Plain;
  readonly name: string;
  readonly branch: Plain;
}

/**
 * Reads every file to which an OpenAPI document refers, and stores the files in the document under `x-seqqa-files`. Afterwards every `$ref` is local.
 * If an entry of a discriminator's mapping refers to an alternative, the entry is changed to the same text as the `$ref` of this alternative.
 * References are recognised by their position, because a `$ref` in an example is only data.
 */
export async function takeInFiles(document: Plain, source: Source, reader: FileReader, warnings: Warnings): Promise<void> {
  const description: File = { root: document, source, pointer: "", seen: new Map() };
  const files = new Map<string, File>([[keyOf(source), description]]);
  const taken: Plain = {};
  const mapped: Mapped[] = [];
  const waiting = [...outwardRefs(description, mapped, [{ node: document, kind: "document", place: undefined }])];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (takeName(document, next, warnings)) continue;
    const file = await fileFor(next, files, taken, reader);
    const fragment = fragmentOf(next.ref);
    next.node["$ref"] = `#${file.pointer}${fragment}`;
    const target = lookUp(file.root, fragment);
    // Ignore a missing target here, because it is reported later, when the whole document is normalised.
    if (isPlain(target))
      for (const outward of outwardRefs(file, mapped, [{ node: target, kind: next.kind, place: placeOf(`#${fragment}`) }]))
        waiting.push(outward);
  }
  for (const { mapping, name, branch } of mapped) put(mapping, name, branch["$ref"]);
  delete document[FILES];
  if (files.size > 1) document[FILES] = taken;
}

async function fileFor({ ref, from, at }: Outward, files: Map<string, File>, taken: Plain, reader: FileReader): Promise<File> {
  const written = sourceOf(ref, from.source);
  const known = written === undefined ? undefined : files.get(keyOf(written));
  if (known !== undefined) return known;
  const { source, root } = await reader.read(ref, from.source, at);
  // The same file may already have been read under another name, for example through a symbolic link.
  let file = files.get(keyOf(source));
  if (file === undefined) {
    const name = String(Object.keys(taken).length);
    put(taken, name, root);
    file = { root, source, pointer: `/${FILES}${step(name)}`, seen: new Map() };
    files.set(keyOf(source), file);
  }
  if (written !== undefined) files.set(keyOf(written), file);
  return file;
}

/**
 * Replaces a `$ref` that is only the name of a schema, such as `Pet`. Descriptions converted from Swagger 1 contain such references. Returns `true`
 * if the `$ref` was replaced.
 */
function takeName(document: Plain, { node, kind, ref, from, at }: Outward, warnings: Warnings): boolean {
  if (kind !== "schema" || from.pointer !== "" || !/^[\w-]+$/.test(ref)) return false;
  const named = ["#/definitions", "#/components/schemas"]
    .map((place) => `${place}/${ref}`)
    .find((place) => isPlain(lookUp(document, place.slice(1))));
  if (named === undefined) return false;
  node["$ref"] = named;
  warnings.add(at, `The $ref ${quoted(ref)} is the name of a schema, not a location, and is read as ${quoted(named)}`);
  return true;
}

/**
 * Returns the references to other files that can be reached from the given objects. References within the file are changed to point to the copy of
 * the file in the main document.
 */
function outwardRefs(file: File, mapped: Mapped[], starts: readonly Visit[]): readonly Outward[] {
  const found: Outward[] = [];
  walk(
    starts,
    ({ node, kind, place }) => {
      if (kind === "schema") mapped.push(...mappedIn(node, file.source));
      const ref = refOf(node);
      if (ref === undefined) return undefined;
      if (!ref.startsWith("#")) {
        found.push({ node, kind, ref, from: file, at: file.pointer + pointerOf(place) });
        return undefined;
      }
      const inFile = file.pointer !== "" && ref.startsWith(`#${file.pointer}`) ? ref.slice(file.pointer.length + 1) : ref.slice(1);
      if (file.pointer !== "") node["$ref"] = `#${file.pointer}${inFile}`;
      const target = lookUp(file.root, inFile);
      return isPlain(target) ? [{ node: target, kind, place: placeOf(`#${inFile}`) }] : undefined;
    },
    file.seen,
  );
  return found;
}

/**
 * Returns the entries of the discriminator's mapping that refer to an alternative of the schema. Call this function before references are changed.
 */
function mappedIn(schema: Plain, source: Source): readonly Mapped[] {
  const discriminator = own(schema, "discriminator");
  const mapping = isPlain(discriminator) ? own(discriminator, "mapping") : undefined;
  if (!isPlain(mapping)) return [];
  const whole = (ref: string): string => {
    const to = sourceOf(ref, source);
    return to === undefined ? ref : `${keyOf(to)}#${fragmentOf(ref)}`;
  };
  const branches = [...listOf(own(schema, "oneOf")), ...listOf(own(schema, "anyOf"))];
  return entriesOf(mapping).flatMap(([name, to]) => {
    if (typeof to !== "string") return [];
    const branch = branches.find((one) => refOf(one) !== undefined && whole(refOf(one)!) === whole(to));
    return branch === undefined ? [] : [{ mapping, name, branch: branch as Plain }];
  });
}
