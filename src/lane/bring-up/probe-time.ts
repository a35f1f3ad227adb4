/** The fields of a JSON object that may contain the time, in the order in which they are tried. */
const FIELDS = ["now", "time", "date", "timestamp"];
/**
 * Smaller numbers are seconds since 1970, larger numbers are milliseconds since 1970. As seconds, this number is in the year 5138; as milliseconds,
 * in 1973.
 */
const LEAST_MS = 1e11;
const ISO = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)\s?(Z|[+-]\d\d(?::?\d\d)?)?$/i;

/**
 * Returns the time that the body of an answer shows, in milliseconds since 1970. Returns `undefined` if the body shows no time. Accepted bodies are a
 * text in ISO 8601 (without a zone: UTC), a number of seconds or milliseconds since 1970, and a JSON object with such a text or number in `now`,
 * `time`, `date` or `timestamp`.
 */
export function probeTime(body: string): number | undefined {
  const text = body.trim();
  const value = jsonOf(text);
  if (typeof value !== "object" || value === null) return timeOf(value);
  return FIELDS.map((name) => (Object.hasOwn(value, name) ? timeOf((value as Record<string, unknown>)[name]) : undefined)).find(
    (time) => time !== undefined,
  );
}

/** Parses JSON. Returns the text itself if it is not JSON. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function timeOf(value: unknown): number | undefined {
  if (typeof value === "number") return value > 0 && Number.isFinite(value) ? (value < LEAST_MS ? value * 1000 : value) : undefined;
  if (typeof value !== "string") return undefined;
  if (/^\d{1,16}(?:\.\d{1,9})?$/.test(value)) return timeOf(Number(value));
  const [whole, day, time, zone = "Z"] = ISO.exec(value.trim()) ?? [];
  if (whole === undefined) return undefined;
  const ms = Date.parse(
    `${day}T${time!.replace(",", ".")}${zone.replace(/^([+-]\d\d):?(\d\d)?$/, (_all, hours: string, minutes = "00") => `${hours}:${minutes}`).toUpperCase()}`,
  );
  return Number.isNaN(ms) ? undefined : ms;
}
