import type { RecordedExchange } from "../../model/result.ts";
import { duration } from "../numbers.ts";
import type { Limits } from "./limits.ts";
import { block, bodyText, text } from "./safe-text.ts";

/** A request and its answer. */
export function exchangePart({ request, response, error, durationMs }: RecordedExchange, limits: Limits): string {
  const line = `${request.method} ${request.url}`.trim();
  const time = durationMs > 0 ? ` <span class="quiet">${duration(durationMs)}</span>` : "";
  return [
    `<details class="exchange" open><summary><code>${text(line)}</code> ${statusPart(response?.status ?? null)}${time}</summary>`,
    '<div class="pair"><div><h5>Request</h5>',
    message(line, request.headers, request.body, limits),
    "</div><div><h5>Response</h5>",
    response === undefined
      ? `<p class="warn">${text(error ?? "There was no answer.")}</p>`
      : message(String(response.status), response.headers, response.body, limits),
    "</div></div></details>",
  ].join("");
}

/** The status of an answer, coloured by its class and said in words where there is none. */
export function statusPart(status: number | null): string {
  return `<span class="status s${statusClass(status)}">${status === null ? "no answer" : text(String(status))}</span>`;
}

/** What has no status, or one that HTTP does not know, is 0. */
const statusClass = (status: number | null): number => (status !== null && status >= 100 && status < 600 ? Math.floor(status / 100) : 0);

function message(first: string, headers: Readonly<Record<string, string>>, body: string | undefined, { body: most }: Limits): string {
  const head = [first, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)].join("\n");
  return block(head) + (body === undefined ? "" : block(bodyText(body, most)));
}
