import type { RecordedExchange, RecordedResponse } from "../../model/results/result.ts";
import type { ApiRequest } from "../../model/http/response.ts";
import { jsonText } from "../json/json-text.ts";
import { lacksBytes } from "../document/lacks-bytes.ts";
import { packageVersion } from "../document/package-version.ts";

const DESCRIBED = "The request had a body of bytes, which this text only describes.";

const TIMES =
  "seqqa does not record the times of requests. The first request has the time at which the run began, and each further request begins when the previous one ends.";

/** An HTTP request of a finding, with the name of the step that sent it. */
export interface HarExchange extends RecordedExchange {
  readonly step: string;
}

/**
 * Returns requests and their answers as a HAR 1.2 archive (http://www.softwareishard.com/blog/har-12-spec/), which browsers and proxies read.
 * The times of requests are not recorded. `startedAt` (ISO 8601), the start of the run, is therefore the time of the first request; each further
 * request begins when the previous one ends. Header sizes were not recorded: they are -1, as the format prescribes.
 */
export function harText(exchanges: readonly HarExchange[], startedAt: string): string {
  let at = Date.parse(startedAt);
  const entries = exchanges.map(({ step, request, response, error, durationMs }) => {
    const entry = {
      startedDateTime: new Date(at).toISOString(),
      time: durationMs,
      request: requestOf(request),
      response: response === undefined ? noResponse(error) : responseOf(response),
      cache: {},
      timings: { send: 0, wait: durationMs, receive: 0 },
      comment: step,
    };
    at += durationMs;
    return entry;
  });
  return jsonText({ log: { version: "1.2", creator: { name: "seqqa", version: packageVersion() }, comment: TIMES, entries } });
}

function requestOf({ method, url, headers, body }: ApiRequest): object {
  const parsed = new URL(url);
  return {
    method,
    url: `${parsed.origin}${escaped(parsed.pathname + parsed.search)}`,
    httpVersion: "HTTP/1.1",
    cookies: [],
    headers: headersOf(headers),
    queryString: [...parsed.searchParams].map(([name, value]) => ({ name, value })),
    ...(body === undefined ? {} : { postData: { mimeType: typeOf(headers), text: body, ...(lacksBytes(body) && { comment: DESCRIBED }) } }),
    headersSize: -1,
    bodySize: body === undefined ? 0 : Buffer.byteLength(body),
  };
}

/** Percent-encodes characters that browsers send but that the URL standard forbids, such as the brackets of `[redacted]`. */
const escaped = (path: string): string => path.replace(/%(?![0-9a-f]{2})|[[\]{}|\\^`"<> ]/gi, encodeURIComponent);

function responseOf({ status, headers, body }: RecordedResponse): object {
  return {
    status,
    statusText: "",
    httpVersion: "HTTP/1.1",
    cookies: [],
    headers: headersOf(headers),
    content: { size: Buffer.byteLength(body), mimeType: typeOf(headers), text: body },
    redirectURL: headers["location"] ?? "",
    headersSize: -1,
    bodySize: Buffer.byteLength(body),
  };
}

/** Returns a response with status 0, which HAR archives of browsers have for a request without an answer. */
function noResponse(error: string | undefined): object {
  return { ...responseOf({ status: 0, headers: {}, body: "" }), comment: error ?? "there was no answer" };
}

const headersOf = (headers: Readonly<Record<string, string>>): readonly object[] =>
  Object.entries(headers).map(([name, value]) => ({ name, value }));

function typeOf(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers).find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? "application/octet-stream";
}
