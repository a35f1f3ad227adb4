import { createRequire } from "node:module";
import type { CookieExpiry } from "../../model/http/client.ts";
import { lifetimeOf } from "../../model/lifetimes.ts";
import { unsignedCookie } from "../../model/http/signed-cookie.ts";
import type * as ToughCookie from "tough-cookie";
import type { Cookie, CookieJar, SerializedCookieJar } from "tough-cookie";

/** The part of a cookie that distinguishes two states. The time of the expiry is left out because it differs in every execution. */
export interface ActingCookie {
  readonly name: string;
  readonly value: string;
  readonly domain: string;
  readonly path: string;
  /**
   * The lifetime that the cookie had when it was received, in seconds, rounded up by {@link lifetimeOf}, minus the moves of the clock since then.
   * `Infinity` for a lifetime of more than 400 days. Absent if the cookie does not expire.
   */
  readonly lifetime?: number;
}

/**
 * Begins the attribute in which the jar keeps the end of a cookie's lifetime, as a number of seconds by which the clock has to be ahead of the real
 * time.
 */
const ENDS = "seqqa-ends=";

// Do not check public suffixes: the host of a lane is an IP address or a name such as localhost, which the list of public suffixes does not contain.
const JAR_OPTIONS = { rejectPublicSuffixes: false, looseMode: true, prefixSecurity: "strict" } as const;
/** The maximum number of characters of a cookie's name that a message shows. */
const LONGEST_NAME = 100;
/** The maximum number of rejected cookies that are remembered. */
const MOST_REJECTED = 20;
/** The latest time that a `Date` can hold, in milliseconds. */
const LAST_MS = 8.64e15;

let loaded: typeof ToughCookie | undefined;

/** Returns `tough-cookie`. It is loaded when the first cookie is set, because loading it takes 80 ms in each lane's thread. */
function toughCookie(): typeof ToughCookie {
  return (loaded ??= createRequire(import.meta.url)("tough-cookie") as typeof ToughCookie);
}

/** A cookie jar that is serialized only after changes. A saved value of `null` means an empty jar. */
export class CookieStore {
  /** Messages that say why cookies were rejected, by the cookie's name. The messages are not part of the state, so {@link restore} keeps them. */
  readonly rejected: Map<string, string> = new Map();
  /** `true` to send cookies that have expired, too. A cookie that the target removed is never sent. */
  sendsExpired = false;
  #jar: CookieJar | null = null;
  #saved: SerializedCookieJar | null | undefined = null;
  #now: () => number = Date.now;
  /** The cookies of the root state, as {@link idOf} names them. */
  #ofRoot: ReadonlySet<string> = new Set();

  /** Sets the clock that decides which cookies have expired. */
  keepTime(now: () => number): void {
    this.#now = now;
  }

  /**
   * Treats the present cookies as cookies of the root state. A run restores the root state many times. These cookies must therefore not expire
   * because the run takes long: their age depends only on moves of the clock.
   */
  adopt(): void {
    // If `setup` moved the clock, it is unknown which cookies it received before the move.
    const isMoved = this.#now() - Date.now() >= 1_000;
    this.#ofRoot = new Set(isMoved ? [] : (this.save()?.cookies ?? []).map(idOf));
  }

  get empty(): boolean {
    return this.#jar === null;
  }

  /**
   * Stores the cookies from the `Set-Cookie` headers of an answer. Cookies that a browser would reject are not stored, but added to {@link rejected}.
   * Returns `false` if there are no headers.
   */
  receive(lines: readonly string[], url: string): boolean {
    if (lines.length === 0) return false;
    this.#jar ??= new (toughCookie().CookieJar)(undefined, JAR_OPTIONS);
    const now = this.#now();
    const before: readonly KeptCookie[] = this.save()?.cookies ?? [];
    for (const line of lines) {
      const cookie = toughCookie().Cookie.parse(line, { loose: true });
      if (cookie === undefined) continue;
      endAtFixedTime(cookie, now);
      try {
        this.#jar.setCookieSync(cookie, url, { now: new Date(now) });
        const ends = endOf(before.find((one) => idOf(one) === idOf(cookie)) ?? {}) ?? this.#endOf(cookie, now);
        cookie.extensions = ends === undefined ? null : [`${ENDS}${ends}`];
      } catch (error) {
        if ((cookie.expiryTime() ?? Infinity) > now) this.#reject(cookie, new URL(url), error);
      }
    }
    this.#saved = undefined;
    return true;
  }

  /** Returns the number of seconds by which the clock has to be ahead of the real time for a cookie that was received now to expire. */
  #endOf(cookie: Cookie, now: number): number | undefined {
    const atMs = expiryOf(cookie);
    return atMs === Infinity ? undefined : (lifetimeOf(atMs - now) ?? Infinity) + this.#aheadSeconds();
  }

  /** Returns whole seconds, because two readings of a clock differ by milliseconds. */
  #aheadSeconds(): number {
    return Math.round((this.#now() - Date.now()) / 1_000);
  }

  #reject(cookie: Cookie, url: URL, error: unknown): void {
    const { key } = cookie;
    if (this.rejected.has(key) || this.rejected.size >= MOST_REJECTED) return;
    this.rejected.set(key, `The cookie ${JSON.stringify(key.slice(0, LONGEST_NAME))} was not kept${whyRejected(cookie, url, error)}`);
  }

  /**
   * Returns the `Cookie` header for a URL. Expired cookies are filtered out here, because `tough-cookie` compares expiry only with the clock of this
   * process.
   */
  header(url: string): string | undefined {
    if (this.#jar === null) return undefined;
    const isValid = this.sendsExpired ? (cookie: KeptCookie) => expiryOf(cookie) > receiptOf(cookie) : this.#validity();
    const valid = this.#jar.getCookiesSync(url, { expire: false, sort: true }).filter(isValid);
    return valid.length === 0 ? undefined : valid.map((cookie) => cookie.cookieString()).join("; ");
  }

  /** Returns the cookies as plain data, which {@link restore} accepts. The same object is returned until a cookie changes. */
  save(): SerializedCookieJar | null {
    if (this.#saved === undefined) this.#saved = this.#jar?.serializeSync() ?? null;
    return this.#saved;
  }

  /** Copies from another store the clock and the list of cookies that belong to the root state. */
  ageLike(other: CookieStore): void {
    this.#now = other.#now;
    this.#ofRoot = other.#ofRoot;
  }

  restore(saved: SerializedCookieJar | null): void {
    if (saved === this.#saved) return;
    this.#jar = saved === null ? null : toughCookie().CookieJar.deserializeSync(saved);
    this.#saved = saved;
  }

  /** Returns the cookies that have not expired, sorted by domain, path and name. Values have no signature; see {@link unsignedCookie}. */
  acting(): readonly ActingCookie[] {
    if (this.#jar === null) return [];
    const isValid = this.#validity();
    const cookies: ActingCookie[] = [];
    for (const cookie of this.save()?.cookies ?? []) {
      if (!isValid(cookie)) continue;
      const ends = endOf(cookie);
      cookies.push({
        name: text(cookie.key),
        value: unsignedCookie(text(cookie.value)),
        domain: text(cookie["domain"]),
        path: text(cookie["path"]),
        ...(ends !== undefined && { lifetime: ends - this.#aheadSeconds() }),
      });
    }
    return cookies.sort((a, b) => compare(a.domain, b.domain) || compare(a.path, b.path) || compare(a.name, b.name));
  }

  /** Returns the values of all cookies, also of expired ones. */
  values(): readonly string[] {
    return this.#jar === null ? [] : (this.save()?.cookies ?? []).map(({ value }) => text(value));
  }

  /**
   * Returns the cookies that have an expiry time, including expired ones. To delete a cookie, a target sends it with an expiry time in the past. Such
   * cookies are left out.
   */
  expiries(): readonly CookieExpiry[] {
    if (this.#jar === null) return [];
    return (this.save()?.cookies ?? []).flatMap((cookie) => {
      const atMs = expiryOf(cookie);
      if (atMs === Infinity || atMs <= receiptOf(cookie)) return [];
      return [{ name: text(cookie.key), atMs, ...(this.#ofRoot.has(idOf(cookie)) && { isOfRoot: true }) }];
    });
  }

  /** Returns a function that says if a cookie is valid now. */
  #validity(): (cookie: KeptCookie) => boolean {
    const now = this.#now();
    const aheadMs = now - Date.now();
    return (cookie) => {
      const atMs = expiryOf(cookie);
      if (atMs === Infinity) return true;
      return atMs > (this.#ofRoot.has(idOf(cookie)) ? receiptOf(cookie) + aheadMs : now);
    };
  }
}

/** Returns the end of the sentence that says why a cookie was rejected, and a sentence that says what to do. */
function whyRejected(cookie: Cookie, { hostname, protocol }: URL, error: unknown): string {
  const domain = cookie.cdomain();
  if (domain !== null && toughCookie().domainMatch(hostname, domain) !== true) {
    const does =
      domain === "localhost"
        ? "Set target.ready to http://localhost:{port}/, or make the target set the cookie without Domain."
        : "Make the target set the cookie without Domain, or use a host of this domain in base_url or target.ready.";
    return `, because Domain=${domain} does not match the host ${hostname}. ${does}`;
  }
  if (cookie.secure && protocol === "http:") {
    return `, because it is Secure and http://${hostname} is neither https nor this machine. Use https, or make the target set the cookie without Secure.`;
  }
  return `: ${error instanceof Error ? error.message : String(error)}.`;
}

/** A cookie of a jar, or of a serialized jar. */
type KeptCookie = { readonly [Member in "key" | "value" | "domain" | "path" | "expires" | "creation" | "extensions"]?: unknown };

/**
 * Replaces `Max-Age`, which takes precedence (RFC 6265, section 5.3), with the time at which a cookie received now expires. `tough-cookie` would
 * measure `Max-Age` from the last use of the cookie, and by the clock of this process.
 */
function endAtFixedTime(cookie: Cookie, now: number): void {
  if (cookie.maxAge === null) return;
  const seconds = Number(cookie.maxAge);
  cookie.expires = new Date(seconds <= 0 ? 0 : Math.min(now + seconds * 1000, LAST_MS));
  cookie.maxAge = null;
}

/** Returns the time at which a cookie expires, in milliseconds since 1970. `Infinity` if it does not expire. */
function expiryOf({ expires }: KeptCookie): number {
  return expires instanceof Date || (typeof expires === "string" && expires !== "Infinity") ? +new Date(expires) : Infinity;
}

/** Returns the number of seconds by which the clock has to be ahead for a cookie to expire, as {@link CookieStore.receive} recorded it. */
function endOf({ extensions }: KeptCookie): number | undefined {
  const [text] = Array.isArray(extensions) ? (extensions as readonly string[]) : [];
  return text?.startsWith(ENDS) === true ? Number(text.slice(ENDS.length)) : undefined;
}

/** Returns the time at which a cookie of this name was first received, in milliseconds since 1970. */
function receiptOf({ creation }: KeptCookie): number {
  return +new Date(creation as Date | string);
}

/** Returns a text that identifies a cookie. If a cookie is replaced by another cookie of the same name, the texts of the two cookies differ. */
function idOf(cookie: KeptCookie): string {
  const { domain, path, key, value } = cookie;
  return JSON.stringify([domain, path, key, value, expiryOf(cookie)]);
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
