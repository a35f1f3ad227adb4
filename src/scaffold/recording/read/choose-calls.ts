import type { RecordedCall } from "../recorded-call.ts";

/** A recorded call that may belong to the API, with data that shows if it is a call of the API or a request for the web page itself. */
export interface Candidate {
  readonly call: RecordedCall;
  /** The browser's word for the kind of request: `xhr`, `fetch`, `document`, `script`, ... */
  readonly resourceType: string | undefined;
  readonly mediaType: string;
}

const MOST_CALLS = 500;
const STATIC_TYPES = /^(?:image|font|video|audio)\/|javascript|\bcss\b|\bwasm\b|manifest\+json|source-?map/i;
const STATIC_RESOURCES = new Set(["stylesheet", "script", "image", "font", "media", "manifest", "texttrack", "wasm"]);
const STATIC_NAMES = /\.(?:js|mjs|css|map|png|jpe?g|gif|svg|webp|avif|ico|woff2?|ttf|otf|mp4|webm|mp3|wasm|webmanifest)$/i;
const ANALYTICS_HOSTS =
  /(?:^|\.)(?:google-analytics|googletagmanager|doubleclick|segment|sentry|mixpanel|hotjar|amplitude|posthog|plausible|datadoghq|browser-intake-datadoghq|nr-data|newrelic|fullstory|intercom|clarity|matomo|facebook)\.\w+$/i;
const ANALYTICS_SEGMENTS = /^(?:analytics|telemetry|beacon|gtag|pixel|rum)$/i;

/**
 * Chooses the calls of the API from recorded traffic: the calls to the origin that received most data requests. Static files, pages, analytics and
 * CORS preflights are left out.
 * @param others The number of entries in the recording that are not usable HTTP calls.
 */
export function chooseCalls(
  candidates: readonly Candidate[],
  others: number,
): { readonly calls: readonly RecordedCall[]; readonly notes: readonly string[] } {
  const left = new Map<string, number>();
  const leave = (why: string, count: number = 1): boolean => {
    if (count > 0) left.set(why, (left.get(why) ?? 0) + count);
    return false;
  };
  leave("requests of other methods or protocols, preflights among them", others);
  const data = candidates.filter((one) => {
    if (isAnalytics(one)) return leave("requests for analytics");
    if (isStatic(one)) return leave("static files");
    return isPage(one) ? leave("pages") : true;
  });
  const origin = mostCalled(data.map(({ call, mediaType }) => [call.origin, /json/i.test(mediaType) || call.method !== "get"]));
  const own = data.filter(({ call }) => call.origin === origin || leave("requests to other origins"));
  const calls = own.slice(0, MOST_CALLS).map(({ call }) => call);
  leave(`calls after the first ${MOST_CALLS}`, own.length - calls.length);
  return {
    calls,
    notes: [...left].map(([why, count]) => `seqqa left out ${count} ${count === 1 ? why.replace(/^((?:static )?\w+)s\b/, "$1") : why}.`),
  };
}

/**
 * Returns the server that receives most requests, which is most likely the API. Returns `undefined` if there are no requests.
 * @param requests The server of each request, and `true` for requests that read or write data. Requests for data count ten times.
 */
export function mostCalled(requests: readonly (readonly [server: string, isData: boolean])[]): string | undefined {
  const counts = new Map<string, number>();
  for (const [server, isData] of requests) counts.set(server, (counts.get(server) ?? 0) + (isData ? 10 : 1));
  return [...counts].toSorted(([, one], [, other]) => other - one)[0]?.[0];
}

function isAnalytics({ call: { origin, segments }, resourceType }: Candidate): boolean {
  return (
    resourceType === "ping" ||
    ANALYTICS_HOSTS.test(new URL(origin).hostname) ||
    segments.some((segment) => ANALYTICS_SEGMENTS.test(segment))
  );
}

function isStatic({ call: { method, segments }, resourceType, mediaType }: Candidate): boolean {
  if (method !== "get" && method !== "head") return false;
  return STATIC_RESOURCES.has(resourceType ?? "") || STATIC_TYPES.test(mediaType) || STATIC_NAMES.test(segments.at(-1) ?? "");
}

function isPage({ call: { method }, resourceType, mediaType }: Candidate): boolean {
  return method === "get" && (resourceType === "document" || /html/i.test(mediaType));
}
