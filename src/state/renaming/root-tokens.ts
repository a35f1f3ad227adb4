import { Generated } from "../values/named.ts";
import { signedTokens } from "../values/places.ts";

/**
 * The signed tokens that clients and the context have in the root state. The name of a token consists of its claims without times. The names are used
 * where nothing is known about the content of such a token: each lane logs in at another time, so the tokens differ between lanes.
 */
export class RootTokens {
  readonly #names = new Map<string, string>();
  #isInContext = false;

  clear(): void {
    this.#names.clear();
    this.#isInContext = false;
  }

  /** Adds the tokens that a text of the root state contains. */
  meet(text: string, part: "context" | "clients"): void {
    const tokens = signedTokens(text);
    for (const { token, content } of tokens) this.#names.set(token, `token ${content}`);
    this.#isInContext ||= part === "context" && tokens.length > 0;
  }

  named(text: string): Generated | undefined {
    const name = this.#names.get(text);
    return name === undefined ? undefined : new Generated(name, "t", undefined);
  }

  get size(): number {
    return this.#names.size;
  }

  /** `true` if the context of the root state contains a token. */
  get isInContext(): boolean {
    return this.#isInContext;
  }

  get all(): readonly string[] {
    return [...this.#names.keys()];
  }

  /** Returns the texts in which a value that looks generated is only a part of a token: its signature, or an id in its claims. */
  parts(): readonly string[] {
    return this.all.flatMap((token) => [token, ...token.split(".").map((part) => idsIn(Buffer.from(part, "base64url").toString()))]);
  }
}

/** Returns a text in which UUIDs have the form of the keys that `wordOf` makes. */
function idsIn(text: string): string {
  return text.replaceAll("-", "").toLowerCase();
}
