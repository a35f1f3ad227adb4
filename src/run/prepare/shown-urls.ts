import type { ApiRequest } from "../../model/http/response.ts";
import type { RecordedExchange } from "../../model/results/result.ts";

/** Replaces the lanes' URLs in texts by the configured base URL, because the ports of lanes differ from run to run. */
export class ShownUrls {
  readonly #shown: string | undefined;
  readonly #lanes: readonly (readonly [lane: RegExp, shown: string])[];

  /**
   * @param shown The configured base URL that replaces the lanes' URLs.
   * @param lanes URLs of the lanes, without trailing slashes, including lanes that were replaced.
   */
  constructor(shown: string | undefined, lanes: Iterable<string>) {
    this.#shown = shown?.replace(/\/+$/, "");
    // Require that no digit follows the URL, so that port 3000 does not match port 30001.
    const pattern = (url: string): RegExp => new RegExp(`${url.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?!\\d)`, "g");
    this.#lanes = [...lanes].flatMap((lane) => [
      [pattern(lane), this.#shown ?? ""] as const,
      // Also replace URLs with escaped slashes, because some servers escape slashes in JSON.
      [pattern(lane.replaceAll("/", "\\/")), (this.#shown ?? "").replaceAll("/", "\\/")] as const,
    ]);
  }

  request(request: ApiRequest): ApiRequest {
    const { url, headers, body } = request;
    return { ...request, url: this.text(url), headers: this.#headers(headers), ...(body === undefined ? {} : { body: this.text(body) }) };
  }

  exchange(exchange: RecordedExchange): RecordedExchange {
    const { request, response, error } = exchange;
    return {
      ...exchange,
      request: this.request(request),
      ...(response === undefined
        ? {}
        : { response: { ...response, headers: this.#headers(response.headers), body: this.text(response.body) } }),
      ...(error === undefined ? {} : { error: this.text(error) }),
    };
  }

  text(text: string): string {
    return this.#shown === undefined ? text : this.#lanes.reduce((rest, [lane, shown]) => rest.replace(lane, () => shown), text);
  }

  #headers(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, this.text(value)]));
  }
}
