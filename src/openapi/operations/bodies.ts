import type { MediaType, RequestBody } from "./description.ts";
import { examplesOf } from "./examples.ts";
import { schemaOf } from "./parameters.ts";
import { entriesOf, isPlain, own } from "../parse/plain.ts";
import type { References } from "../normalise/references.ts";

export function bodyOf(value: unknown, references: References): RequestBody | undefined {
  const body = references.object(value);
  if (body === undefined) return undefined;
  return { required: own(body, "required") === true, media: mediaOf(own(body, "content"), references) };
}

/** Returns the media types of a body, with JSON first. If several types differ only in their parameters, the first of them is returned. */
export function mediaOf(content: unknown, references: References): readonly MediaType[] {
  const found = new Map<string, MediaType>();
  for (const [name, value] of entriesOf(content)) {
    const type = name.split(";")[0]!.trim().toLowerCase();
    const media = references.object(value);
    if (type === "" || type.startsWith("x-") || found.has(type)) continue;
    const schema = media === undefined ? undefined : schemaOf(own(media, "schema"));
    found.set(type, { type, schema, examples: isPlain(media) ? examplesOf([media], schema, references) : [] });
  }
  return [...found.values()]
    .map((media, index) => ({ media, index }))
    .sort((a, b) => rank(a.media.type) - rank(b.media.type) || a.index - b.index)
    .map(({ media }) => media);
}

function rank(type: string): number {
  if (type === "application/json") return 0;
  if (/[+/]json$/.test(type)) return 1;
  if (type === "application/x-www-form-urlencoded") return 2;
  return type === "multipart/form-data" ? 3 : 4;
}
