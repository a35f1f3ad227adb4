import type { UiEvent } from "../../../../ui/messages.ts";

/** Milliseconds before a lost connection is tried again. */
const AGAIN_MS = 2_000;

/** A refusal of the server, in one sentence, or its absence. */
export class Refused extends Error {
  override readonly name: string = "Refused";
}

/** The server's side of the page. The token of the page's address comes with every request; it stays in the address, so that the page can be reloaded. */
export class Connection {
  readonly #token: string = new URLSearchParams(location.search).get("token") ?? "";

  /** Hears events until the page is closed. `lost` is called each time a connection has ended. */
  listen(heard: (event: UiEvent) => void, lost: () => void): void {
    const source = new EventSource(this.#url("/api/events"));
    source.addEventListener("message", ({ data }: MessageEvent<string>) => heard(JSON.parse(data) as UiEvent));
    source.addEventListener("error", () => {
      source.close();
      lost();
      setTimeout(() => this.listen(heard, lost), AGAIN_MS);
    });
  }

  /** @throws Refused */
  get<T>(path: string, query: Readonly<Record<string, string | number | readonly string[]>>): Promise<T> {
    return this.#ask<T>(this.#url(path, query), {});
  }

  /** @throws Refused */
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
