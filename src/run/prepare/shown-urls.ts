import type { ApiRequest } from "../../model/http/response.ts";
import type { RecordedExchange } from "../../model/results/result.ts";

/** Replaces the lanes' URLs in texts by the configured base URL, because the ports of lanes differ from run to run. */
export class ShownUrls {
  readonly #shown: string | undefined;
  readonly #lanes: readonly RegExp[];

  /**
   * @param shown The configured base URL that replaces the lanes' URLs.
   * @param lanes URLs of the lanes, without trailing slashes, including lanes that were replaced.
   */
  constructor(shown: string | undefined, lanes: Iterable<string>) {
    this.#shown = shown?.replace(/\/+$/, "");
    // Require that no digit follows the URL, so that port 3000 does not match port 30001.
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

  text(text: string): string {
    const shown = this.#shown;
    return shown === undefined ? text : this.#lanes.reduce((rest, lane) => rest.replace(lane, () => shown), text);
  }
}
