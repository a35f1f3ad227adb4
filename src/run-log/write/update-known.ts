import { existsSync, readFileSync } from "node:fs";
import { isMap, isNode, isSeq, Scalar, YAMLSeq, type Document, type YAMLMap } from "yaml";
import { findingIdsOf, parse, type KnownEntry } from "../read/known-findings.ts";
import { writeWhole } from "./write-whole.ts";

export interface KnownUpdate {
  readonly found: readonly (Pick<KnownEntry, "id"> & {
    readonly exploration: string;
    readonly finding: string;
    readonly path: readonly string[];
  })[];
  readonly stale: readonly string[];
}

/** The ids that were added to the list of known findings, and those that were removed. */
export interface KnownChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** Updates the list of known findings, sorted by id. Existing entries keep their notes and comments. */
export function updateKnownFindings(file: string, { found, stale }: KnownUpdate): KnownChange {
  const text = existsSync(file) ? readFileSync(file, "utf8").replace(/^\ufeff/, "") : "";
  const parsed = parse(text, file);
  keepHeader(parsed.document);
  const before = findingIdsOf(parsed);
  const kept = before.filter(({ id }) => !stale.includes(id));
  const listed = new Set(before.map(({ id }) => id));
  const fresh = found.filter(({ id }, index) => !listed.has(id) && found.findIndex((one) => one.id === id) === index);
  if (fresh.length === 0 && kept.length === before.length && isSorted(kept) && text !== "") return { added: [], removed: [] };
  const change = { added: fresh.map(({ id }) => id), removed: stale };
  const { document } = parsed;
  const items = [...kept, ...fresh.map((one) => ({ id: one.id, node: entry(document, one) }))].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  if (file.endsWith(".json")) {
    const list = items.map(({ node }) => (isMap(node) || node instanceof Scalar ? (node.toJSON() as unknown) : node));
    writeWhole(file, [`${JSON.stringify(list, null, 2)}\n`]);
    return change;
  }
  if (!isSeq(document.contents)) (document as unknown as Document).contents = new YAMLSeq();
  const list = document.contents as unknown as YAMLSeq;
  list.flow = items.length === 0;
  list.items = items.map(({ node }) => node);
  writeWhole(file, [String(document)]);
  return change;
}

/**
 * Moves the comment at the head of the file from the first entry to the document. The parser gives both the head of the file and the comment of the
 * first entry to this entry, which may be removed or sorted to another place.
 */
function keepHeader(document: Document.Parsed): void {
  const first = isSeq(document.contents) ? document.contents.items[0] : undefined;
  if (!isNode(first)) return;
  const comment = first.commentBefore ?? "";
  const end = comment.lastIndexOf("\n\n");
  if (end < 0) return;
  document.commentBefore = [document.commentBefore, comment.slice(0, end)].filter(Boolean).join("\n\n");
  first.commentBefore = comment.slice(end + 2);
}

/** Creates a YAML node for a known finding. An id that YAML would read as a number is quoted. */
function entry(document: Document.Parsed, one: KnownUpdate["found"][number]): unknown {
  const { id: name, exploration, finding, path } = one;
  const node = document.createNode({ id: name, exploration, finding, path }) as unknown as YAMLMap;
  const id = node.get("id", true) as Scalar;
  (node.get("path", true) as unknown as YAMLSeq).flow = true;
  if (!/[a-df-z]/i.test(name)) id.type = Scalar.QUOTE_DOUBLE;
  return node;
}

function isSorted(entries: readonly { readonly id: string }[]): boolean {
  return entries.every(({ id }, index) => index === 0 || entries[index - 1]!.id < id);
}
