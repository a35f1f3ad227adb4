import { CookieJar, type SerializedCookieJar } from "tough-cookie";

/** The part of a cookie that distinguishes two states. The expiry is left out because it differs in every execution. */
export interface ActingCookie {
  readonly name: string;
  readonly value: string;
  readonly domain: string;
  readonly path: string;
}

// Do not check public suffixes: the host of a lane is an IP address or a name such as localhost, which the list of public suffixes does not contain.
const JAR_OPTIONS = { rejectPublicSuffixes: false, looseMode: true } as const;

/** A cookie jar that is serialized only after changes. A saved value of `null` means an empty jar. */
export class CookieStore {
  #jar: CookieJar | null = null;
  #saved: SerializedCookieJar | null | undefined = null;
  #now: () => number = Date.now;

  /** Sets the clock that decides which cookies have expired. */
  keepTime(now: () => number): void {
    this.#now = now;
  }

  get now(): () => number {
    return this.#now;
  }

  get empty(): boolean {
    return this.#jar === null;
  }

  /**
   * Stores the cookies from the `Set-Cookie` headers of an answer. Cookies that a browser would reject are ignored. Returns `false` if there are no
   * headers.
   */
  receive(lines: readonly string[], url: string): boolean {
    if (lines.length === 0) return false;
    this.#jar ??= new CookieJar(undefined, JAR_OPTIONS);
    for (const line of lines) this.#jar.setCookieSync(line, url, { ignoreError: true, now: new Date(this.#now()) });
    this.#saved = undefined;
    return true;
  }

  header(url: string): string | undefined {
    if (this.#jar === null) return undefined;
    const text = this.#now === Date.now ? this.#jar.getCookieStringSync(url) : this.#validAt(this.#now(), url);
    return text === "" ? undefined : text;
  }

  /**
   * Returns the `Cookie` header for a URL. Expired cookies are filtered out here, because `tough-cookie` compares expiry only with the clock of this
   * process.
   */
  #validAt(now: number, url: string): string {
    const all = this.#jar!.getCookiesSync(url, { expire: false });
    return all
      .filter((cookie) => (cookie.expiryTime() ?? Infinity) > now)
      .map((cookie) => cookie.cookieString())
      .join("; ");
  }

  /** Returns the cookies as plain data, which {@link restore} accepts. The same object is returned until a cookie changes. */
  save(): SerializedCookieJar | null {
    if (this.#saved === undefined) this.#saved = this.#jar?.serializeSync() ?? null;
    return this.#saved;
  }

  restore(saved: SerializedCookieJar | null): void {
    if (saved === this.#saved) return;
    this.#jar = saved === null ? null : CookieJar.deserializeSync(saved);
    this.#saved = saved;
  }

  /** Returns the cookies that have not expired, sorted by domain, path and name. */
  acting(): readonly ActingCookie[] {
    if (this.#jar === null) return [];
    const now = new Date(this.#now());
    const cookies: ActingCookie[] = [];
    for (const cookie of this.save()?.cookies ?? []) {
      if (expired(cookie, now)) continue;
      cookies.push({ name: text(cookie.key), value: text(cookie.value), domain: text(cookie["domain"]), path: text(cookie["path"]) });
    }
    return cookies.sort((a, b) => compare(a.domain, b.domain) || compare(a.path, b.path) || compare(a.name, b.name));
  }
}

type SerializedCookie = SerializedCookieJar["cookies"][number];

/** Returns `true` if a cookie has expired. RFC 6265, section 5.3: Max-Age takes precedence over Expires. */
function expired(cookie: SerializedCookie, now: Date): boolean {
  const maxAge = cookie["maxAge"];
  if (maxAge === "-Infinity") return true;
  if (typeof maxAge === "number") return maxAge <= 0 || Date.parse(String(cookie["creation"])) + maxAge * 1000 <= now.getTime();
  const expires = cookie["expires"];
  return typeof expires === "string" && expires !== "Infinity" && Date.parse(expires) <= now.getTime();
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
