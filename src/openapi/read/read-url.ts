import { fetch as undiciFetch, type Response } from "undici";
import { isUntrusted, UNTRUSTED } from "../../network/untrusted.ts";
import { connections } from "./connections.ts";
import { decodeText } from "./decode-text.ts";
import { percentDecoded } from "../parse/percent-decoded.ts";
import { problem, quoted } from "../problem.ts";
import { MOST_BYTES, tooLarge } from "./read-file.ts";
import { shownUrl, type Loaded } from "./source.ts";

/** The time limit for reading a description from a URL, in milliseconds. The time of all redirects is included. */
export const TIME: number = 60_000;
const MOST_REDIRECTS = 5;
const ACCEPT = "application/json, application/yaml, text/yaml;q=0.9, */*;q=0.8";

/** A function that sends one request. Only tests replace the default, which uses the configured proxies and certificates. */
export type Fetch = (
  url: URL,
  options: { readonly signal: AbortSignal; readonly headers: Readonly<Record<string, string>> },
) => Promise<Answer>;

/** The parts of a response that seqqa uses to read a description. A {@link Fetch} must not follow redirects. */
export type Answer = Pick<Response, "status" | "body"> & { readonly headers: { get(name: string): string | null } };

/**
 * Reads an OpenAPI description from a URL.
 * @throws SeqqaError `DESCRIPTION_NOT_FOUND`, `DESCRIPTION_UNREADABLE`, `DESCRIPTION_TOO_LARGE`
 */
export async function readUrl(url: URL, fetch?: Fetch): Promise<Loaded> {
  const name = shownUrl(url);
  if (fetch !== undefined) return load(url, name, fetch);
  const dispatcher = connections();
  try {
    return await load(url, name, async (to, options) => undiciFetch(to, { ...options, dispatcher, redirect: "manual" }));
  } finally {
    await dispatcher.destroy();
  }
}

async function load(start: URL, name: string, fetch: Fetch): Promise<Loaded> {
  const signal = AbortSignal.timeout(TIME);
  const [bare, authorization] = withoutLogin(start);
  try {
    let url = bare;
    for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
      const headers = { accept: ACCEPT, ...(url.origin === bare.origin && authorization) };
      const answer = await fetch(url, { signal, headers });
      const to = answer.headers.get("location");
      if (answer.status < 300 || answer.status > 399 || to === null) return await taken(answer, url, name);
      await answer.body?.cancel();
      url = redirected(to, url, name);
    }
    throw problem("DESCRIPTION_UNREADABLE", `${name} redirects more than ${MOST_REDIRECTS} times.`);
  } catch (error) {
    throw explained(error, name, signal);
  }
}

/**
 * Removes user and password from a URL and returns them as an `Authorization` header. The caller must send the header only to the origin of the URL.
 */
function withoutLogin(url: URL): readonly [url: URL, header: { readonly authorization: string } | undefined] {
  if (url.username === "" && url.password === "") return [url, undefined];
  const login = `${percentDecoded(url.username)}:${percentDecoded(url.password)}`;
  const bare = new URL(url);
  bare.username = "";
  bare.password = "";
  return [bare, { authorization: `Basic ${Buffer.from(login).toString("base64")}` }];
}

function redirected(to: string, from: URL, name: string): URL {
  const url = URL.canParse(to, from.href) ? new URL(to, from) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol)) return withoutLogin(url)[0];
  throw problem(
    "DESCRIPTION_UNREADABLE",
    `${name} redirects to ${quoted(to)}, which seqqa does not follow, because it is not an http or https URL.`,
  );
}

async function taken(answer: Answer, url: URL, name: string): Promise<Loaded> {
  if (answer.status < 200 || answer.status > 299) {
    await answer.body?.cancel();
    throw problem(
      "DESCRIPTION_NOT_FOUND",
      `${name} answered with status ${answer.status}.`,
      "Check the URL. If the server requires a login, save the description to a file, and give that file.",
    );
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
    if ((bytes += chunk.length) > MOST_BYTES) throw tooLarge(name);
    chunks.push(chunk);
  }
  return { source: { kind: "url", url }, name, text: decodeText(Buffer.concat(chunks), name) };
}

export function explained(error: unknown, name: string, signal: AbortSignal): unknown {
  if (signal.aborted) return problem("DESCRIPTION_UNREADABLE", `${name} did not answer within ${TIME / 1000} s.`);
  // `fetch` throws a TypeError whose `cause` is the actual error. Other errors are returned unchanged.
  if (!(error instanceof TypeError)) return error;
  const { code = "", message = "" } = (error.cause ?? {}) as { readonly code?: string; readonly message?: string };
  if (isUntrusted(code)) return problem("DESCRIPTION_UNREADABLE", `${name} cannot be read: ${UNTRUSTED[0]}.`, UNTRUSTED[1], error);
  return problem(
    "DESCRIPTION_UNREADABLE",
    `${name} cannot be read: ${inWords(code, message || error.message)}.`,
    "Check the URL and the connection.",
    error,
  );
}

function inWords(code: string, message: string): string {
  switch (code) {
    case "":
      return message === "bad port" ? "HTTP clients block its port" : message;
    case "ECONNREFUSED":
      return "nothing listens there (ECONNREFUSED)";
    case "ENOTFOUND":
      return "its host is not known (ENOTFOUND)";
    default:
      return code;
  }
}
