import type { UiEvent } from "../../../../ui/messages.ts";

/** Milliseconds to wait before a lost connection is opened again. */
const AGAIN_MS = 2_000;

/** The error for a request that the server refused or that did not reach the server. The message is one sentence. */
export class Refused extends Error {
  override readonly name: string = "Refused";
}

/**
 * The connection from the page to the server of `seqqa ui`. Every request carries the token from the page's address. The token stays in the address,
 * so that the page can be reloaded.
 */
export class Connection {
  readonly #token: string = new URLSearchParams(location.search).get("token") ?? "";

  /** Calls `heard` with each event of the server until the page is closed. Calls `lost` each time the connection is lost, then reconnects. */
  listen(heard: (event: UiEvent) => void, lost: () => void): void {
    const source = new EventSource(this.#url("/api/events"));
    source.addEventListener("message", ({ data }: MessageEvent<string>) => heard(JSON.parse(data) as UiEvent));
    source.addEventListener("error", () => {
      source.close();
      lost();
      setTimeout(() => this.listen(heard, lost), AGAIN_MS);
    });
  }

  /** Requests data from the server. @throws Refused if the server refuses the request or cannot be reached */
  get<T>(path: string, query: Readonly<Record<string, string | number | readonly string[]>>): Promise<T> {
    return this.#ask<T>(this.#url(path, query), {});
  }

  /** Sends a command to the server. @throws Refused if the server refuses the request or cannot be reached */
  post<T>(path: string, body: object): Promise<T> {
    return this.#ask<T>(this.#url(path), { method: "POST", body: JSON.stringify(body) });
  }

  async #ask<T>(url: string, init: RequestInit): Promise<T> {
    const response = await fetch(url, init).catch(() => {
      throw new Refused("The page has lost its connection, because seqqa has ended.");
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
