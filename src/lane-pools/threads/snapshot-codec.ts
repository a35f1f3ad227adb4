import { deserialize, serialize } from "node:v8";
import type { SavedContext } from "../../model/context/context.ts";

/** Deepest nesting of a snapshot for which JSON is used. Snapshots with deeper nesting use the general serializer. */
const DEEPEST = 100;

/**
 * Encodes a snapshot as a string, because strings are sent to threads quickly. The first character of the string says which format is used. JSON is
 * ten times faster than the general serializer, so JSON is used for every snapshot that JSON can represent.
 */
export function encodeSnapshot(snapshot: unknown): string {
  const plain = withoutMaps(snapshot);
  if (isJson(plain, 0)) return `J${JSON.stringify(plain)}`;
  return `V${serialize(snapshot).toString("latin1")}`;
}

/** Encodes a snapshot like {@link encodeSnapshot}. Returns a string unchanged, since a string is an encoded snapshot. */
export function snapshotText(snapshot: unknown): string {
  return typeof snapshot === "string" ? snapshot : encodeSnapshot(snapshot);
}

export function decodeSnapshot(text: string): unknown {
  if (text.startsWith("V")) return deserialize(Buffer.from(text.slice(1), "latin1"));
  const { context, objects, node, setBy, ...rest } = JSON.parse(text.slice(1)) as PlainImage;
  return {
    ...rest,
    context: { entries: new Map(context), objects, node: node ?? undefined },
    setBy: setBy.map(([bearer, action]) => ({ text: bearer, action: action ?? undefined })),
  };
}

/** The members of a snapshot that JSON cannot represent. All other members are passed on unchanged. */
interface Image {
  readonly context: SavedContext;
  readonly setBy: readonly { readonly text: string; readonly action: string | undefined }[];
}

interface PlainImage {
  readonly context: readonly (readonly [string, unknown])[];
  readonly objects: number;
  readonly node: string | null;
  readonly setBy: readonly (readonly [string, string | null])[];
}

function withoutMaps(snapshot: unknown): PlainImage {
  const { context, setBy, ...rest } = snapshot as Image;
  return {
    ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)),
    context: [...context.entries],
    objects: context.objects,
    node: context.node ?? null,
    setBy: setBy.map(({ text, action }) => [text, action ?? null]),
  };
}

/** Returns `true` if a value stays the same when it is written as JSON and read back. */
function isJson(value: unknown, depth: number): boolean {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true;
    case "number":
      return Number.isFinite(value) && !Object.is(value, -0);
    case "object":
      return value === null || (depth < DEEPEST && isJsonObject(value, depth));
    default:
      return false;
  }
}

function isJsonObject(value: object, depth: number): boolean {
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) if (!isJson(value[i], depth + 1)) return false;
    // JSON would lose other properties, such as the groups of a match of a regular expression.
    return Object.keys(value).length === value.length;
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) return false;
  for (const key in value) {
    if (key === "__proto__" || key === "toJSON" || !isJson((value as Record<string, unknown>)[key], depth + 1)) return false;
  }
  return true;
}
