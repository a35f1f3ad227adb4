import type { SMTPServer } from "smtp-server";
import type { Observed } from "../../model/stores/store-adapter.ts";
import { portTaken, StubAdapter, stubUrl, type StepsOfStub } from "./stub-adapter.ts";

/** Named character references of HTML that templates write into links and codes. All other named references stay unchanged. */
const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  quot: '"',
  apos: "'",
  lt: "<",
  gt: ">",
  nbsp: "\u00A0",
  equals: "=",
  sol: "/",
  quest: "?",
  colon: ":",
};

/** A mail that the target sent. Plain data. */
export interface StubMail {
  readonly from: string;
  /** The recipients of the envelope in lower case, including copies and blind copies. */
  readonly to: readonly string[];
  readonly subject: string;
  /** The text of the mail; empty if it has only HTML. */
  readonly text: string;
  /** The HTML of the mail; empty if it has only text. */
  readonly html: string;
}

interface MailState extends StepsOfStub {
  readonly mails: readonly StubMail[];
}

const MOST_BYTES = 16 * 2 ** 20;

/**
 * A mail server for the target. The received mails are part of the state and are restored. Actions read tokens and links from mails:
 * `storeOf<SmtpStub>(context, "mail").linkTo("ann@example.org")`. The server accepts every user and password.
 */
export class SmtpStub extends StubAdapter<MailState> {
  readonly name = "smtp-stub";
  #server: SMTPServer | undefined;

  /** Creates a stub that does not listen yet. @throws SeqqaError `STUB_URL_INVALID` */
  constructor({ url }: { readonly url: string }) {
    super(stubUrl(url, "smtp"), { mails: [], steps: [] });
  }

  /** All mails received so far on this path, in order. */
  get mails(): readonly StubMail[] {
    return this.state.mails;
  }

  /** Returns the last mail to an address; `undefined` if there is none. */
  lastTo(address: string): StubMail | undefined {
    return this.mails.findLast(({ to }) => to.includes(address.toLowerCase()));
  }

  /**
   * Returns the first link in the last mail to an address. With `containing`, returns the first link that contains this text, such as `token=`.
   * Returns `undefined` if there is none.
   */
  linkTo(address: string, containing = ""): string | undefined {
    const mail = this.lastTo(address);
    return linksIn(`${mail?.text ?? ""} ${mail?.html ?? ""}`).find((link) => link.includes(containing));
  }

  /**
   * Searches the last mail to an address for a pattern: its subject, text, HTML, and the visible text of the HTML. Returns the first group of the
   * first match, or the whole match if the pattern has no group. Returns `undefined` if nothing matches. The flags `g` and `y` have no effect.
   */
  matchTo(address: string, pattern: RegExp): string | undefined {
    const mail = this.lastTo(address);
    const html = mail?.html ?? "";
    const stateless = new RegExp(pattern.source, pattern.flags.replaceAll(/[gy]/g, ""));
    const found = stateless.exec(`${mail?.subject ?? ""}\n${mail?.text ?? ""}\n${html}\n${textOfHtml(html)}`);
    return found?.[1] ?? found?.[0];
  }

  async listen(): Promise<void> {
    if (this.#server !== undefined) return;
    const [{ SMTPServer }, { default: PostalMime }] = await Promise.all([import("smtp-server"), import("postal-mime")]);
    const server = new SMTPServer({
      authOptional: true,
      // Turn STARTTLS off, because clients would reject a self-signed certificate. Without STARTTLS, most mail libraries send passwords over the
      // plain connection.
      disabledCommands: ["STARTTLS"],
      allowInsecureAuth: true,
      disableReverseLookup: true,
      logger: false,
      // The time in milliseconds after which the server closes open connections at the end of a lane. The default is 30 s, which would delay that
      // end.
      closeTimeout: 1,
      size: MOST_BYTES,
      onAuth: (auth, _session, done) => done(null, { user: auth.username ?? "anybody" }),
      onData: (stream, session, done) => {
        const chunks: Buffer[] = [];
        this.called();
        stream.on("data", (chunk: Buffer) => chunks.push(chunk));
        const take = async (): Promise<void> => {
          let failure: Error | undefined;
          try {
            const { from, subject = "", text = "", html = "" } = await PostalMime.parse(Buffer.concat(chunks));
            const to = session.envelope.rcptTo.map(({ address }) => address.toLowerCase());
            const mail = { from: from?.address ?? "", to, subject, text: text.trimEnd(), html: html.trimEnd() };
            this.set({ mails: [...this.mails, mail], steps: this.stepsWithOneMore() });
          } catch (error) {
            failure = error instanceof Error ? error : new Error(String(error));
          }
          done(failure);
        };
        stream.on("end", () => void take());
      },
    });
    // Once the server listens, ignore its errors, because they are caused by clients that disconnect early.
    const { hostname, port } = new URL(this.uses);
    await new Promise<void>((resolve, reject) => {
      server.once("error", (cause: Error) => reject(portTaken(this.uses, cause)));
      server.listen(Number(port), hostname, () => {
        server.removeAllListeners("error");
        server.on("error", () => undefined);
        resolve();
      });
    });
    server.server.unref();
    this.#server = server;
  }

  observe(): Observed {
    return { kind: "value", value: { mails: this.byStep(this.mails) }, received: "mails", steps: this.state.steps };
  }

  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    this.isOpen = false;
    if (server !== undefined) await new Promise<void>((resolve) => server.close(() => resolve()));
  }
}

/** Replaces character references by their characters: all numeric ones, and the most common named ones. */
function decodeEntities(html: string): string {
  return html.replaceAll(/&(?:#(\d+)|#[xX]([\da-fA-F]+)|([a-z]+));/g, (all, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return Object.hasOwn(NAMED, name) ? NAMED[name]! : all;
    const code = decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal);
    return code > 0x10ffff ? "\uFFFD" : String.fromCodePoint(code);
  });
}

/** Returns the text that a reader of an HTML mail sees, with one line for each block. */
function textOfHtml(html: string): string {
  const shown = html.replaceAll(/<(style|script)\b[^>]*>[^]*?<\/\1>/gi, "");
  return decodeEntities(shown.replaceAll(/<\/?(?:br|p|div|t[rdh]|li|h\d)\b[^>]*>/gi, "\n").replaceAll(/<[^>]*>/g, ""));
}

/** Returns the links in the text or HTML of a mail. Punctuation at the end of a link is removed, unless the link is in a quoted attribute. */
function linksIn(mail: string): readonly string[] {
  const found = decodeEntities(mail).matchAll(/(https?:\/\/[^\s"'<>)]+)(["']?)/g);
  return [...found].map(([, link, quote]) => (quote === "" ? link!.replace(/[.,;:!?\]}]+$/, "") : link!));
}
