import type { UiEvent } from "../../../../ui/messages.ts";

/** Milliseconds before a lost connection is opened again. */
const AGAIN_MS = 2_000;

/** The server refused a request, or could not be reached. The message is one sentence. */
export class Refused extends Error {
  override readonly name: string = "Refused";
}

/**
 * The connection to the server of the page. Every request carries the token of the page's address. The token stays in the address, so that the page
 * can be reloaded.
 */
export class Connection {
  readonly #token: string = new URLSearchParams(location.search).get("token") ?? "";

  /** Listens to events until the page is closed. Calls `lost` each time a connection has ended, then reconnects. */
  listen(heard: (event: UiEvent) => void, lost: () => void): void {
    const source = new EventSource(this.#url("/api/events"));
    source.addEventListener("message", ({ data }: MessageEvent<string>) => heard(JSON.parse(data) as UiEvent));
    source.addEventListener("error", () => {
      source.close();
      lost();
      setTimeout(() => this.listen(heard, lost), AGAIN_MS);
    });
  }

  /** @throws Refused if the server refuses the request or cannot be reached */
  get<T>(path: string, query: Readonly<Record<string, string | number | readonly string[]>>): Promise<T> {
    return this.#ask<T>(this.#url(path, query), {});
  }

  /** @throws Refused if the server refuses the request or cannot be reached */
  post<T>(path: string, body: object): Promise<T> {
    return this.#ask<T>(this.#url(path), { method: "POST", body: JSON.stringify(body) });
  }

  async #ask<T>(url: string, init: RequestInit): Promise<T> {
    const response = await fetch(url, init).catch(() => {
      throw new Refused("seqqa cannot be reached: it has ended, or was stopped.");
    });
    const answer = (await response.json()) as { readonly error?: string; readonly hint?: string };
    if (!response.ok) throw new Refused([answer.error, answer.hint].filter((part) => part !== undefined).join(" "));
    return answer as T;
  }

  #url(path: string, query: Readonly<Record<string, string | number | readonly string[]>> = {}): string {
    const params = new URLSearchParams({ token: this.#token });
    for (const [name, value] of Object.entries(query)) for (const one of [value].flat()) params.append(name, String(one));
    return `${path}?${params.toString()}`;
  }
}
