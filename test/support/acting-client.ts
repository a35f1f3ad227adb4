import { offerClientPart, type ClientPart, type Exchange } from "../../src/model/http/client.ts";
import { ApiResponse } from "../../src/model/http/response.ts";

type Answer = number | "timeout" | "unreachable";

/** A client with its own state, like `HttpClient`. It sends nothing and gives the answers that a test sets. */
export class ActingClient {
  closed = false;
  /** The answers to requests, in order. The last one is repeated. */
  answers: Answer[] = [200];
  roles: readonly string[] = [];
  #token: string | null = null;
  #version = 0;
  #sink: ((exchange: Exchange) => void) | null = null;

  constructor() {
    offerClientPart(this, this.#part());
  }

  setAuthToken(token: string | null): void {
    this.#token = token;
    this.#version++;
  }

  get token(): string | null {
    return this.#token;
  }

  async send(): Promise<ApiResponse> {
    const answer = this.answers.length > 1 ? this.answers.shift()! : this.answers[0]!;
    await Promise.resolve();
    if (typeof answer === "number") {
      const response = new ApiResponse(answer, `{"answer":${answer}}`, {}, { method: "POST", url: "http://target/call", headers: {} });
      this.#sink?.({ kind: "answer", response });
      return response;
    }
    const error = new Error(`no answer: ${answer}`);
    this.#sink?.({
      kind: "failure",
      request: { method: "POST", url: "http://target/call", headers: {} },
      durationMs: 0,
      reason: answer,
      error,
    });
    throw error;
  }

  close(): void {
    this.closed = true;
  }

  #part(): ClientPart {
    const version = (): number => this.#version;
    return {
      get version(): number {
        return version();
      },
      save: () => this.#token,
      restore: (saved) => {
        if (saved === this.#token) return;
        this.#token = saved as string | null;
        this.#version++;
      },
      acting: () => (this.#token === null ? undefined : { token: this.#token }),
      listen: (sink) => {
        this.#sink = sink;
      },
      join: (clients) => {
        this.roles = Object.keys(clients);
      },
    };
  }
}
