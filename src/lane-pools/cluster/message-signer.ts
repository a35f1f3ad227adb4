import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { SeqqaError } from "../../model/errors.ts";

/** The kind of a message. The kind is signed together with the message, so that a message is not accepted as a message of another kind. */
export type MessageKind = "run" | "join" | "welcome" | "ready" | "verdict" | "alive" | "leave" | "chunk" | "result" | "known";

/** Identifies a message. Each member may only contain letters, digits, underscores and hyphens. */
export interface Heading {
  readonly kind: MessageKind;
  /** The id of the run, or the key of one of its explorations. The id is random, so that a run refuses the messages of earlier runs. */
  readonly run: string;
  /** Distinguishes the message from other messages of its kind. */
  readonly id: string;
}

export interface Opened {
  readonly heading: Heading;
  readonly body: string;
}

/** Length of an HMAC-SHA-256 in base64url, in characters. */
const MAC = 43;
/** Length of the longest message that is signed or verified, in characters. */
const LONGEST = 64 * 1024 * 1024;
const NAME = /^[\w-]{1,80}$/;

/**
 * Signs messages between a run and its workers, and verifies that a message was signed with the same secret. The signature is an HMAC-SHA-256 over
 * heading and body, and is compared in constant time. A message is only parsed after its signature was verified.
 */
export class MessageSigner {
  readonly #key: Buffer;
  readonly #digestKey: Buffer;

  /** @param secret The value of `SEQQA_SECRET`. Two keys are derived from it: one for signatures, and one for digests. */
  constructor(secret: string) {
    const derived = (use: string): Buffer => Buffer.from(hkdfSync("sha256", secret, "seqqa", use, 32));
    this.#key = derived("messages");
    this.#digestKey = derived("values");
  }

  /** Signs a message and returns it as text. @throws SeqqaError `MESSAGE_TOO_LARGE` (exit status 3) */
  close({ kind, run, id }: Heading, body: string): string {
    const text = `${kind} ${run} ${id}\n${body}`;
    if (text.length > LONGEST - MAC) {
      throw new SeqqaError(
        "MESSAGE_TOO_LARGE",
        `A message between the distributed run and a worker (${kind}) is longer than the limit of ${LONGEST / 1024 / 1024} MiB.`,
        {
          hint: "Make states and responses smaller, with fewer rows or with `ignore`. Or explore on one machine with --parallel.",
          exitStatus: 3,
        },
      );
    }
    return this.#mac(text) + text;
  }

  /** Verifies a message and returns its heading and body. Returns `undefined` if the message was signed with another secret, or if it is too long. */
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

  /**
   * Verifies a message like {@link open}, and returns its body. Returns `undefined` if the kind, the run or the id of the message is not the expected
   * one.
   */
  expect(sealed: unknown, { kind, run, id }: Pick<Heading, "kind" | "run"> & { readonly id?: string }): string | undefined {
    const opened = this.open(sealed);
    if (opened === undefined || opened.heading.kind !== kind || opened.heading.run !== run) return undefined;
    return id === undefined || opened.heading.id === id ? opened.body : undefined;
  }

  /** Returns a digest of a value, so that two values can be compared without sending them. Only holders of the secret can compute the digest. */
  digest(value: string): string {
    return createHmac("sha256", this.#digestKey).update(value).digest("base64url");
  }

  #mac(text: string): string {
    return createHmac("sha256", this.#key).update(text).digest("base64url");
  }
}
