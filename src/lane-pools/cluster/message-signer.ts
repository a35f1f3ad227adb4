import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { SeqqaError } from "../../model/errors.ts";

/** What a message is; part of what is signed. */
export type MessageKind = "run" | "join" | "welcome" | "ready" | "verdict" | "alive" | "leave" | "chunk" | "result" | "known";

/** What a message is about, in letters, digits and hyphens. */
export interface Heading {
  readonly kind: MessageKind;
  /** The run, and perhaps which of its explorations: drawn at random for every run, so that nothing of an old one is taken in a new one. */
  readonly run: string;
  /** Which message of that kind. */
  readonly id: string;
}

/** What was said, and under which heading. */
export interface Opened {
  readonly heading: Heading;
  readonly body: string;
}

/** Characters of a base64url SHA-256. */
const MAC = 43;
/** Longer texts are neither made nor looked at. Characters. */
const LONGEST = 64 * 1024 * 1024;
const NAME = /^[\w-]{1,80}$/;

/**
 * Signs what goes over the queue, and opens what was signed with the same secret: HMAC-SHA-256 over heading and body, compared in constant time.
 * Nothing is parsed before it is known to be from one who has the secret.
 */
export class MessageSigner {
  readonly #key: Buffer;
  readonly #digestKey: Buffer;

  /** @param secret `SEQQA_SECRET`; keys are derived from it, each for one use. */
  constructor(secret: string) {
    const derived = (use: string): Buffer => Buffer.from(hkdfSync("sha256", secret, "seqqa", use, 32));
    this.#key = derived("messages");
    this.#digestKey = derived("values");
  }

  /** @throws SeqqaError `MESSAGE_TOO_LARGE` (3) */
  close({ kind, run, id }: Heading, body: string): string {
    const text = `${kind} ${run} ${id}\n${body}`;
    if (text.length > LONGEST - MAC) {
      throw new SeqqaError(
        "MESSAGE_TOO_LARGE",
        `What a distributed run has to send (${kind}) is longer than ${LONGEST / 1024 / 1024} MiB.`,
        {
          hint: "Let states and answers be smaller, or explore them with --parallel on one machine.",
          exitStatus: 3,
        },
      );
    }
    return this.#mac(text) + text;
  }

  /** `undefined`: not a text of one who has the secret, or too long a one. */
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

  /** As {@link open}, for a message of which it is known what it must be; anything else is none. */
  expect(sealed: unknown, { kind, run, id }: Pick<Heading, "kind" | "run"> & { readonly id?: string }): string | undefined {
    const opened = this.open(sealed);
    if (opened === undefined || opened.heading.kind !== kind || opened.heading.run !== run) return undefined;
    return id === undefined || opened.heading.id === id ? opened.body : undefined;
  }

  /** Tells whether values are the same without telling them, to nobody without the secret. */
  digest(value: string): string {
    return createHmac("sha256", this.#digestKey).update(value).digest("base64url");
  }

  #mac(text: string): string {
    return createHmac("sha256", this.#key).update(text).digest("base64url");
  }
}
