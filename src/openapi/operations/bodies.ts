import type { MediaType, RequestBody } from "./description.ts";
import { examplesOf } from "./examples.ts";
import { schemaOf } from "./parameters.ts";
import { entriesOf, isPlain, own, textOf } from "../parse/plain.ts";
import type { References } from "../normalise/references.ts";

export function bodyOf(value: unknown, references: References): RequestBody | undefined {
  const body = references.object(value);
  if (body === undefined) return undefined;
  const media = mediaOf(own(body, "content"), references);
  // If several content types of the request body differ only in their parameters, use the first of them.
  return {
    required: own(body, "required") === true,
    media: media.filter(({ type }, at) => media.findIndex((one) => one.type === type) === at),
  };
}

/** Returns the media types of a body, with JSON first. */
export function mediaOf(content: unknown, references: References): readonly MediaType[] {
  const found: MediaType[] = [];
  for (const [name, value] of entriesOf(content)) {
    const type = name.split(";")[0]!.trim().toLowerCase();
    const media = references.object(value);
    if (type === "" || type.startsWith("x-")) continue;
    const schema = media === undefined ? undefined : schemaOf(own(media, "schema"));
    found.push({
      type,
      ...withParameters(name),
      schema,
      examples: isPlain(media) ? examplesOf([media], schema, references) : [],
      ...contentTypesOf(media),
    });
  }
  return found
    .map((media, index) => ({ media, index }))
    .sort((a, b) => rank(a.media.type) - rank(b.media.type) || a.index - b.index)
    .map(({ media }) => media);
}

function contentTypesOf(media: unknown): Pick<MediaType, "contentTypes"> {
  const types = entriesOf(isPlain(media) ? own(media, "encoding") : undefined).flatMap(([name, encoding]): readonly [string, string][] => {
    const type = isPlain(encoding) ? textOf(own(encoding, "contentType"))?.split(/[,;]/)[0]!.trim().toLowerCase() : undefined;
    return type === undefined || type === "" ? [] : [[name, type]];
  });
  return types.length === 0 ? {} : { contentTypes: new Map(types) };
}

function withParameters(name: string): Pick<MediaType, "parameters"> {
  const parameters = parametersOf(name);
  return parameters === "" ? {} : { parameters };
}

/** Returns the parameters of a content type in the form of `MediaType.parameters`, or an empty text. */
export function parametersOf(contentType: string): string {
  const parameters = contentType
    .toLowerCase()
    .replaceAll('"', "")
    .split(";")
    .slice(1)
    .map((one) => one.trim());
  return parameters
    .filter((one) => one !== "" && !one.startsWith("charset="))
    .sort()
    .join(";");
}

function rank(type: string): number {
  if (type === "application/json") return 0;
  if (/[+/]json$/.test(type)) return 1;
  if (type === "application/x-www-form-urlencoded") return 2;
  return type === "multipart/form-data" ? 3 : 4;
}
