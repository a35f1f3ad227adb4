import type { Kind } from "../normalise/grammar.ts";
import type { FileReader } from "./file-reader.ts";
import { FILES, fragmentOf, keyOf, sourceOf } from "./outside-file.ts";
import { isPlain, put, type Plain } from "../parse/plain.ts";
import { lookUp, step } from "../parse/pointer.ts";
import { quoted } from "../problem.ts";
import { refOf } from "../normalise/references.ts";
import type { Source } from "./source.ts";
import { placeOf, pointerOf, walk, type Seen, type Visit } from "../normalise/walk.ts";
import type { Warnings } from "../warnings.ts";

/** A file of the description. */
interface File {
  readonly root: Plain;
  readonly source: Source;
  /** Where it is in the document: empty for the description itself. */
  readonly pointer: string;
  /** What was looked at in it. */
  readonly seen: Seen;
}

/** A reference out of its file. */
interface Outward {
  readonly node: Plain;
  readonly kind: Kind;
  readonly ref: string;
  readonly from: File;
  readonly at: string;
}

/**
 * Reads every file that a description refers to, and puts them into it, under `x-seqqa-files`; each `$ref` is local afterwards. By position: a `$ref` in an example is a value of
 * the example. What no reference leads to is not read.
 */
export async function takeInFiles(document: Plain, source: Source, reader: FileReader, warnings: Warnings): Promise<void> {
  const description: File = { root: document, source, pointer: "", seen: new Map() };
  const files = new Map<string, File>([[keyOf(source), description]]);
  const taken: Plain = {};
  const waiting = [...outwardRefs(description, [{ node: document, kind: "document", place: undefined }])];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (takeName(document, next, warnings)) continue;
    const file = await fileFor(next, files, taken, reader);
    const fragment = fragmentOf(next.ref);
    next.node["$ref"] = `#${file.pointer}${fragment}`;
    const target = lookUp(file.root, fragment);
    // That one leads nowhere is found when the whole is mended.
    if (isPlain(target))
      for (const outward of outwardRefs(file, [{ node: target, kind: next.kind, place: placeOf(`#${fragment}`) }])) waiting.push(outward);
  }
  delete document[FILES];
  if (files.size > 1) document[FILES] = taken;
}

async function fileFor({ ref, from, at }: Outward, files: Map<string, File>, taken: Plain, reader: FileReader): Promise<File> {
  const written = sourceOf(ref, from.source);
  const known = written === undefined ? undefined : files.get(keyOf(written));
  if (known !== undefined) return known;
  const { source, root } = await reader.read(ref, from.source, at);
  // The same file by another name, such as that of a link.
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

/** Descriptions that were in Swagger 1 once say `Pet`, and mean the schema of that name. */
function takeName(document: Plain, { node, kind, ref, from, at }: Outward, warnings: Warnings): boolean {
  if (kind !== "schema" || from.pointer !== "" || !/^[\w-]+$/.test(ref)) return false;
  const named = ["#/definitions", "#/components/schemas"]
    .map((place) => `${place}/${ref}`)
    .find((place) => isPlain(lookUp(document, place.slice(1))));
  if (named === undefined) return false;
  node["$ref"] = named;
  warnings.add(at, `The $ref ${quoted(ref)} is the name of a schema, not a place, and is taken for ${quoted(named)}`);
  return true;
}

/** References that lead out of the file, from here on. Those within it become ones within the document. */
function outwardRefs(file: File, starts: readonly Visit[]): readonly Outward[] {
  const found: Outward[] = [];
  walk(
    starts,
    ({ node, kind, place }) => {
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
