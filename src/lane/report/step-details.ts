import type { Exchange } from "../../model/http/client.ts";
import type { RecordedExchange } from "../../model/results/result.ts";
import { exchangesOf, recorded, type Outcome } from "../step/outcome.ts";

/** Largest number of requests of one action that are sent for reports. */
const EXCHANGES = 20;
/**
 * Largest number of characters of a body that are sent for reports. Reports show fewer characters, but secrets are recognised better in a long text.
 */
const BODY = 16_384;
const URL_LENGTH = 2_000;
const HEADERS = 50;
const HEADER_LENGTH = 1_000;
/** `LINES`: maximum number of text lines of a state. `LINE_LENGTH`: maximum number of characters in a line. */
const LINES = 300;
const LINE_LENGTH = 400;

/**
 * Returns the requests of an action or of `setup` for reports. Long texts are shortened, because the run keeps the requests of thousands of actions.
 */
export function briefExchanges(exchanges: readonly Exchange[], outcome?: Outcome): readonly RecordedExchange[] {
  const first = exchanges.length > EXCHANGES ? exchanges.slice(0, EXCHANGES) : exchanges;
  return (outcome === undefined ? first.map(recorded) : exchangesOf(first, outcome)).map(brief);
}

/** Returns the text lines of a state for reports. Leaves out lines above the maximum number, and shortens long lines. */
export function briefLines(lines: readonly string[]): readonly string[] {
  const shown = lines.slice(0, LINES).map((line) => cut(line, LINE_LENGTH));
  return lines.length > LINES ? [...shown, `... and ${lines.length - LINES} more lines`] : shown;
}

function brief({ request, response, error, durationMs }: RecordedExchange): RecordedExchange {
  return {
    request: {
      method: request.method,
      url: cut(request.url, URL_LENGTH),
      headers: briefHeaders(request.headers),
      ...(request.body === undefined ? {} : { body: cut(request.body, BODY) }),
    },
    ...(response === undefined
      ? {}
      : { response: { status: response.status, headers: briefHeaders(response.headers), body: cut(response.body, BODY) } }),
    ...(error === undefined ? {} : { error: cut(error, URL_LENGTH) }),
    durationMs,
  };
}

function briefHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const all = Object.entries(headers);
  if (all.length <= HEADERS && all.every(([, value]) => value.length <= HEADER_LENGTH)) return headers;
  return Object.fromEntries(all.slice(0, HEADERS).map(([name, value]) => [name, cut(value, HEADER_LENGTH)]));
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}... (${text.length} characters)`;
}
