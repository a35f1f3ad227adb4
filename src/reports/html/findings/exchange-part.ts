import type { RecordedExchange } from "../../../model/results/result.ts";
import { duration, plural } from "../../console/text/numbers.ts";
import type { Limits } from "../limits.ts";
import { bar } from "./state-part.ts";
import { block, bodyText, shortText, shortened, text } from "../text/safe-text.ts";

export function exchangePart({ request, response, error, durationMs }: RecordedExchange, limits: Limits): string {
  const line = `${request.method} ${request.url}`.trim();
  const time = durationMs > 0 ? ` <span class="quiet">${duration(durationMs)}</span>` : "";
  return [
    `<details class="exchange" open><summary><code>${shortText(line, limits.head)}</code> ${statusPart(response?.status ?? null)}${time}</summary>`,
    `<div class="pair"><div>${bar("Request")}`,
    message(line, request.headers, request.body, limits),
    `</div><div>${bar("Response")}`,
    response === undefined
      ? `<p class="warn">${shortText(error ?? "There was no answer.", limits.message)}</p>`
      : message(String(response.status), response.headers, response.body, limits),
    "</div></div></details>",
  ].join("");
}

export function exchangeParts(exchanges: readonly RecordedExchange[], limits: Limits): string {
  const left = exchanges.length - limits.lines;
  const note = left > 0 ? `<p class="note">${plural(left, "more request")} left out to limit the size of this file.</p>` : "";
  return (left > 0 ? exchanges.slice(0, limits.lines) : exchanges).map((one) => exchangePart(one, limits)).join("") + note;
}

export function statusPart(status: number | null): string {
  return `<span class="status s${statusClass(status)}">${status === null ? "no answer" : text(String(status))}</span>`;
}

/** Returns the first digit of an HTTP status, for the colour; 0 if there is no valid status. */
const statusClass = (status: number | null): number => (status !== null && status >= 100 && status < 600 ? Math.floor(status / 100) : 0);

function message(first: string, headers: Readonly<Record<string, string>>, body: string | undefined, limits: Limits): string {
  const head = [first, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)].join("\n");
  return block(shortened(head, limits.head)) + (body === undefined ? "" : block(bodyText(body, limits.body)));
}
