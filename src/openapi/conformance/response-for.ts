import type { DescribedResponse, MediaType } from "../operations/description.ts";

/** Returns the answer that is described for a status: by itself, else by its range (`4XX`), else by `default`. */
export function responseFor(responses: readonly DescribedResponse[], status: number): DescribedResponse | undefined {
  const byStatus = (name: string): DescribedResponse | undefined => responses.find((response) => response.status === name);
  return byStatus(String(status)) ?? byStatus(`${Math.floor(status / 100)}XX`) ?? byStatus("default");
}

/**
 * Returns the media type that is described for a content type (with or without parameters): by itself, else by the narrowest range (`text/*`,
 * `application/*+json`) that matches.
 */
export function mediaFor(media: readonly MediaType[], contentType: string): MediaType | undefined {
  const type = essence(contentType);
  return media
    .filter((one) => isIn(type, one.type))
    .sort((a, b) => Number(a.type.includes("*")) - Number(b.type.includes("*")) || b.type.length - a.type.length)[0];
}

/** Returns a content type without parameters, in lower case: `text/html` for `text/HTML; charset=utf-8`. */
export function essence(contentType: string): string {
  return contentType.split(";")[0]!.trim().toLowerCase();
}

export function isJson(type: string): boolean {
  return /[/+]json$/.test(type);
}

function isIn(type: string, range: string): boolean {
  const star = range.indexOf("*");
  if (star < 0) return type === range;
  if (range === "*/*" || range === "*") return true;
  const [before, after] = [range.slice(0, star), range.slice(star + 1)];
  return type.length >= range.length && type.startsWith(before) && type.endsWith(after);
}
