import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { SeqqaError } from "../../model/errors.ts";

/** The kind of a message. It is part of the signed text. */
export type MessageKind = "run" | "join" | "welcome" | "ready" | "verdict" | "alive" | "leave" | "chunk" | "result" | "known";

/** Identifies a message. Each member consists of letters, digits, underscores and hyphens. */
export interface Heading {
  readonly kind: MessageKind;
  /** The run's id, or the key of one of its explorations. It is random for every run, so that a new run accepts no message of an old run. */
  readonly run: string;
  /** Identifies the message among those of its kind. */
  readonly id: string;
}

export interface Opened {
  readonly heading: Heading;
  readonly body: string;
}

/** Length of a SHA-256 in base64url, in characters. */
const MAC = 43;
/** Length of the longest text that is signed or read, in characters. */
const LONGEST = 64 * 1024 * 1024;
const NAME = /^[\w-]{1,80}$/;

/**
 * Signs messages on the queue, and verifies messages that were signed with the same secret. Uses HMAC-SHA-256 over heading and body, compared in
 * constant time. Nothing is parsed before the sender is known to have the secret.
 */
export class MessageSigner {
  readonly #key: Buffer;
  readonly #digestKey: Buffer;

  /** @param secret The value of `SEQQA_SECRET`. A separate key is derived from it for each use. */
  constructor(secret: string) {
    const derived = (use: string): Buffer => Buffer.from(hkdfSync("sha256", secret, "seqqa", use, 32));
    this.#key = derived("messages");
    this.#digestKey = derived("values");
  }

  /** Signs a message. @throws SeqqaError `MESSAGE_TOO_LARGE` (exit status 3) */
  close({ kind, run, id }: Heading, body: string): string {
    const text = `${kind} ${run} ${id}\n${body}`;
    if (text.length > LONGEST - MAC) {
      throw new SeqqaError("MESSAGE_TOO_LARGE", `A message of the distributed run (${kind}) is longer than ${LONGEST / 1024 / 1024} MiB.`, {
        hint: "Keep states and responses small (fewer rows, `ignore`), or explore on one machine with --parallel.",
        exitStatus: 3,
      });
    }
    return this.#mac(text) + text;
  }

  /** Verifies a message. Returns `undefined` if the sender does not have the secret, or if the message is too long. */
  open(sealed: unknown): Opened | undefined {
    if (typeof sealed !== "string" || sealed.length <= MAC || sealed.length > LONGEST) return undefined;
    const text = sealed.slice(MAC);
    const [given, right] = [Buffer.from(sealed.slice(0, MAC), "latin1"), Buffer.from(this.#mac(text), "latin1")];
    if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined;
    const end = text.indexOf("\n");
    const [kind, run, id, ...rest] = text.slice(0, Math.max(end, 0)).split(" ");
    if (rest.length > 0 || ![kind, run, id].every((one) => one !== undefined && NAME.test(one))) return undefined;
    return { heading: { kind: kind as MessageKind, run: run!, id: id! }, body: text.slice(end + 1) };
  }

  /** Verifies a message like {@link open}, and returns its body. Returns `undefined` for a message of another kind or run, or with another id. */
  expect(sealed: unknown, { kind, run, id }: Pick<Heading, "kind" | "run"> & { readonly id?: string }): string | undefined {
    const opened = this.open(sealed);
    if (opened === undefined || opened.heading.kind !== kind || opened.heading.run !== run) return undefined;
    return id === undefined || opened.heading.id === id ? opened.body : undefined;
  }

  /** Returns a digest that shows if two values are equal. Only holders of the secret can compute it. */
  digest(value: string): string {
    return createHmac("sha256", this.#digestKey).update(value).digest("base64url");
  }

  #mac(text: string): string {
    return createHmac("sha256", this.#key).update(text).digest("base64url");
  }
}
