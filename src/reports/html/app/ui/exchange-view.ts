import type { RecordedExchange } from "../../../../model/results/result.ts";
import { cut, printable, printableLines } from "../../../console/text/printable.ts";
import { prettyJson } from "../../text/pretty-json.ts";
import { status } from "../graph/controls/details.ts";
import { make } from "../make.ts";

/** The largest number of characters that are shown of a request or response body. */
const BODY = 20_000;

export function exchangeView({ request, response, error, durationMs }: RecordedExchange): HTMLElement {
  const line = printable(`${request.method} ${request.url}`.trim());
  const time =
    durationMs > 0 ? [make("span", { class: "quiet" }, ` ${durationMs < 10 ? durationMs.toFixed(1) : Math.round(durationMs)} ms`)] : [];
  return make(
    "details",
    { class: "exchange", open: true },
    make("summary", {}, make("code", {}, line), " ", status(response?.status ?? 0), ...time),
    make(
      "div",
      { class: "pair" },
      make("div", {}, titled("Request"), ...message(line, request.headers, request.body)),
      make(
        "div",
        {},
        titled("Response"),
        ...(response === undefined
          ? [make("p", { class: "warn" }, printable(error ?? "There was no answer."))]
          : message(String(response.status), response.headers, response.body)),
      ),
    ),
  );
}

/** Returns the heading of a text block. A copy button is added to the heading later. */
export const titled = (title: string): HTMLElement => make("div", { class: "titled" }, make("h5", {}, title));

function message(first: string, headers: Readonly<Record<string, string>>, body: string | undefined): readonly HTMLElement[] {
  const lines = Object.entries(headers).map(([name, value]) => printable(`${name}: ${value}`));
  return [
    pre([first, ...lines].join("\n")),
    ...(body === undefined || body === "" ? [] : [pre(cut(printableLines(prettyJson(body)), BODY))]),
  ];
}

const pre = (content: string): HTMLElement => make("pre", { tabindex: "0" }, content);
