import type { ApiRequest } from "../../model/http/response.ts";
import type { RecordedExchange } from "../../model/results/result.ts";

/** Shows lanes' URLs against the configured base URL, so that ports which differ from run to run do not show. */
export class ShownUrls {
  readonly #shown: string | undefined;
  readonly #lanes: readonly RegExp[];

  /** @param lanes Where lanes answered, without trailing slashes; those that were built anew in between included. */
  constructor(shown: string | undefined, lanes: Iterable<string>) {
    this.#shown = shown?.replace(/\/+$/, "");
    // Port 3000 is no beginning of port 30001.
    this.#lanes = [...lanes].map((lane) => new RegExp(`${lane.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?!\\d)`, "g"));
  }

  request(request: ApiRequest): ApiRequest {
    const url = this.text(request.url);
    return url === request.url ? request : { ...request, url };
  }

  exchange(exchange: RecordedExchange): RecordedExchange {
    const { request, error } = exchange;
    return { ...exchange, request: this.request(request), ...(error === undefined ? {} : { error: this.text(error) }) };
  }

  /** A text with URLs in it. */
  text(text: string): string {
    const shown = this.#shown;
    return shown === undefined ? text : this.#lanes.reduce((rest, lane) => rest.replace(lane, () => shown), text);
  }
}
