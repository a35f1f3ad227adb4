import type { HttpMethod } from "../../../openapi/operations/description.ts";
import type { RecordedBody, RecordedCall } from "../recorded-call.ts";
import { parseBody } from "./json-text.ts";

const METHODS: ReadonlySet<string> = new Set(["get", "put", "post", "delete", "head", "patch"]);

type Pairs = readonly (readonly [name: string, value: string])[];

/**
 * Returns the parts of a recorded call that come from its method and URL. Returns `undefined` for unsupported methods and for URLs that are not HTTP.
 */
export function urlParts(method: string, url: string): Pick<RecordedCall, "method" | "origin" | "segments" | "query"> | undefined {
  const verb = method.toLowerCase();
  if (!METHODS.has(verb) || !/^https?:\/\//i.test(url) || !URL.canParse(url)) return undefined;
  const { origin, pathname, searchParams } = new URL(url);
  // A slash at the end of the path becomes an empty last segment.
  const segments = pathname.split("/").slice(1).map(decoded);
  return { method: verb as HttpMethod, origin, segments, query: [...searchParams] };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

export const lowered = (headers: Pairs): Pairs => headers.map(([name, value]) => [name.toLowerCase(), value]);

/**
 * Returns the body of a recorded request, parsed according to its media type.
 * @param fields The fields of a form, if the recording contains them.
 */
export function bodyOf(mediaType: string, text: string | undefined, fields: Pairs): RecordedBody | undefined {
  const type = mediaType.split(";")[0]!.trim().toLowerCase();
  if (type === "multipart/form-data") return fields.length === 0 ? undefined : { as: "multipart", mediaType: type, fields };
  if (type === "application/x-www-form-urlencoded") {
    const sent = fields.length > 0 ? fields : [...new URLSearchParams(text ?? "")];
    return sent.length === 0 ? undefined : { as: "form", mediaType: type, fields: sent };
  }
  if (text === undefined || text === "") return undefined;
  const value = type === "" || type === "text/plain" || /[/+]json$/.test(type) ? parseBody(text) : undefined;
  if (value !== undefined) return { as: "json", mediaType: /[/+]json$/.test(type) ? type : "application/json", value };
  return { as: "text", mediaType: type === "" ? "text/plain" : type, text };
}

/**
 * Names the part of a body that is left out.
 * @param files The names of fields that are files.
 * @param mediaType The media type of a body that is left out as a whole.
 */
export function lostOf(files: readonly string[], mediaType: string | undefined): string | undefined {
  if (mediaType !== undefined) return `body (${mediaType.split(";")[0]!.trim().slice(0, 80) || "of an unknown type"})`;
  return files.length === 0 ? undefined : `file ${files.map((name) => JSON.stringify(name.slice(0, 80))).join(", ")}`;
}
