import type { DescribedResponse, MediaType, Operation, Schema } from "../../../openapi/operations/description.ts";
import { isRecord } from "../values/schemas.ts";

export function answerSchema(operation: Operation): Schema | undefined {
  for (const response of successes(operation)) {
    const schema = jsonSchema(response);
    if (schema !== undefined) return schema;
  }
  return undefined;
}

/** Returns the responses of an operation with a 2xx status. If no response has a 2xx status, returns the response `default`. */
export function successes({ responses }: Operation): readonly DescribedResponse[] {
  const good = responses.filter(({ status }) => status.startsWith("2")).sort((a, b) => (a.status < b.status ? -1 : 1));
  return good.length > 0 ? good : responses.filter(({ status }) => status === "default");
}

export function answersStatus({ responses }: Operation, status: string): boolean {
  return responses.some((response) => response.status === status);
}

function jsonSchema({ media }: DescribedResponse): Schema | undefined {
  const json = media.find(({ type }) => isJson(type)) ?? media.find(({ type }) => type === "*/*");
  return json === undefined ? undefined : schemaOf(json);
}

export function isJson(type: string): boolean {
  return /[/+]json$/.test(type);
}

const fromExamples = new WeakMap<MediaType, Schema>();

/**
 * Returns the schema of a media type. If the media type has no schema, infers a schema from the first example. Repeated calls return the same object.
 */
export function schemaOf(media: MediaType): Schema | undefined {
  if (media.schema !== undefined && !(isRecord(media.schema) && Object.keys(media.schema).length === 0)) return media.schema;
  const example = media.examples[0];
  if (typeof example !== "object" || example === null) return media.schema;
  let schema = fromExamples.get(media);
  if (schema === undefined) fromExamples.set(media, (schema = likeExample(example, 0)));
  return schema;
}

function likeExample(value: unknown, depth: number): Schema {
  if (value === null || depth > 8) return {};
  if (Array.isArray(value)) return { type: "array", ...(value.length > 0 && { items: likeExample(value[0], depth + 1) }) };
  if (!isRecord(value)) return { type: typeof value };
  return {
    type: "object",
    properties: Object.fromEntries(Object.entries(value).map(([name, one]) => [name, likeExample(one, depth + 1)])),
  };
}
