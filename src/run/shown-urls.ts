import type { ApiRequest } from "../model/response.ts";

/** Shows lanes' URLs against the configured base URL, so that ports which differ from run to run do not show. */
export class ShownUrls {
  readonly #shown: string | undefined;
  readonly #lanes: readonly string[];

  constructor(shown: string | undefined, lanes: readonly string[]) {
    this.#shown = shown;
    this.#lanes = lanes;
  }

  request(request: ApiRequest): ApiRequest {
    if (this.#shown === undefined) return request;
    const lane = this.#lanes.find((base) => request.url.startsWith(base));
    return lane === undefined ? request : { ...request, url: this.#shown + request.url.slice(lane.length) };
  }
}
