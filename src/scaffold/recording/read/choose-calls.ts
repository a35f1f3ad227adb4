import type { RecordedCall } from "../recorded-call.ts";

/** A call of an archive, with what tells an API from the page that uses it. */
export interface Candidate {
  readonly call: RecordedCall;
  /** The kind of resource as browsers name it: `xhr`, `fetch`, `document`, `script`, ... */
  readonly resourceType: string | undefined;
  /** The media type of the answer. */
  readonly mediaType: string;
}

/** The number of calls of which a folder is made. */
const MOST_CALLS = 500;
const STATIC_TYPES = /^(?:image|font|video|audio)\/|javascript|\bcss\b|\bwasm\b|manifest\+json|source-?map/i;
const STATIC_RESOURCES = new Set(["stylesheet", "script", "image", "font", "media", "manifest", "texttrack", "wasm"]);
const STATIC_NAMES = /\.(?:js|mjs|css|map|png|jpe?g|gif|svg|webp|avif|ico|woff2?|ttf|otf|mp4|webm|mp3|wasm|webmanifest)$/i;
/** Hosts and paths of services that count visitors and errors. */
const ANALYTICS_HOSTS =
  /(?:^|\.)(?:google-analytics|googletagmanager|doubleclick|segment|sentry|mixpanel|hotjar|amplitude|posthog|plausible|datadoghq|browser-intake-datadoghq|nr-data|newrelic|fullstory|intercom|clarity|matomo|facebook)\.\w+$/i;
const ANALYTICS_SEGMENTS = /^(?:analytics|telemetry|beacon|gtag|pixel|rum)$/i;

/**
 * Chooses the calls of the API: those to the origin that most calls of data go to, without files, pages, analytics and preflights. `others`: the number
 * of entries that are no calls over HTTP.
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
  const origin = mostCalled(data);
  const own = data.filter(({ call }) => call.origin === origin || leave("requests to other origins"));
  const calls = own.slice(0, MOST_CALLS).map(({ call }) => call);
  leave(`calls after the first ${MOST_CALLS}`, own.length - calls.length);
  return {
    calls,
    notes: [...left].map(([why, count]) => `Left out: ${count} ${count === 1 ? why.replace(/^((?:static )?\w+)s\b/, "$1") : why}.`),
  };
}

function mostCalled(data: readonly Candidate[]): string | undefined {
  const counts = new Map<string, number>();
  for (const { call, mediaType } of data) {
    // An origin that answers JSON, or is written to, is an API.
    const weight = /json/i.test(mediaType) || call.method !== "get" ? 10 : 1;
    counts.set(call.origin, (counts.get(call.origin) ?? 0) + weight);
  }
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
