import { Generated } from "../values/named.ts";
import { signedTokens } from "../values/places.ts";

/**
 * The signed tokens that clients and the context have in the root state. Each lane logs in at another time, so its tokens differ from those of other
 * lanes. The name of a token therefore consists of its claims without times. The names are used where experiments showed nothing about the content of
 * the token.
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

  /**
   * Returns the tokens and their decoded parts as texts. A value that looks generated but occurs in such a text is only a part of a token: its
   * signature, or an id in its claims.
   */
  parts(): readonly string[] {
    return this.all.flatMap((token) => [token, ...token.split(".").map((part) => idsIn(Buffer.from(part, "base64url").toString()))]);
  }
}

/** Returns a text in which UUIDs are written like the keys that `wordOf` returns. */
function idsIn(text: string): string {
  return text.replaceAll("-", "").toLowerCase();
}
