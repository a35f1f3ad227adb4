import { SeqqaError } from "../../model/errors.ts";
import { unsignedCookies } from "../../model/http/signed-cookie.ts";
import { CookieStore, type ActingCookie } from "./cookie-store.ts";
import { checkedHeader, checkedHeaders } from "./request/headers.ts";

type Authorization = { readonly kind: "bearer"; readonly token: string } | { readonly kind: "header"; readonly value: string };

/**
 * The saved state of a client, as plain data. It contains only the changes since the client was constructed. The client of another lane can therefore
 * restore the saved state, although that client was constructed with another URL.
 */
export interface SavedClient {
  readonly authorization?: Authorization | null;
  /** The changed headers; `null` for a removed header. */
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly cookies: ReturnType<CookieStore["save"]>;
}

/** The part of a client's state that belongs to the state of the world: the changes that actions made since the client was constructed. */
export interface ActingClient {
  readonly token?: string | null;
  readonly authorization?: string | null;
  /** The headers that were set since the client was constructed; `null` for a removed header. */
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly cookies?: readonly ActingCookie[];
}

const NONE: Readonly<Record<string, string>> = Object.freeze({});

/**
 * The state of a client that actions change and that a restore resets: token, headers, cookies. Its members are replaced, never modified. Saving is
 * therefore cheap, and two saved states can be compared by reference.
 */
export class ClientState {
  readonly cookies: CookieStore = new CookieStore();
  #authorization: Authorization | null = null;
  #headers: Readonly<Record<string, string>> = NONE;
  #version = 0;
  #initial: { readonly authorization: Authorization | null; readonly headers: Readonly<Record<string, string>> } = {
    authorization: null,
    headers: NONE,
  };
  #sent: Readonly<Record<string, string>> | undefined;
  #sentWithType = new Map<string, Readonly<Record<string, string>>>();
  #saved: SavedClient | undefined;

  constructor(
    headers: Readonly<Record<string, string>>,
    credentials: { readonly username: string; readonly password: string } | undefined,
  ) {
    if (credentials !== undefined) this.setBasicAuth(credentials.username, credentials.password);
    for (const [name, value] of Object.entries(checkedHeaders(headers))) this.setHeader(name, value);
    this.#initial = { authorization: this.#authorization, headers: this.#headers };
  }

  /** The version of the state. It increases with every change and never decreases, so equal versions mean equal states. */
  get version(): number {
    return this.#version;
  }

  /**
   * Sets the bearer token, or removes it (`null`). `refusal` describes the last answer that the client got, if this answer was a refusal. Messages
   * name it, because a failed login is a frequent cause of a missing token.
   */
  setToken(token: string | null, refusal?: string): void {
    if (token !== null && (typeof token !== "string" || token === "")) {
      const got = token === "" ? "an empty token" : `a token of type ${typeof token}, not a string`;
      const [message, hint] =
        refusal === undefined
          ? [
              `setAuthToken() got ${got}.`,
              "Pass the token as a string, or pass null to send no token. Check that the answer to the login contains a token.",
            ]
          : [
              `setAuthToken() got ${got}. The request before it was refused: ${refusal}.`,
              "If this was the login, check its credentials. If a refused login is no mistake here, call setAuthToken() only if response.ok.",
            ];
      throw new SeqqaError("TOKEN_INVALID", message, { hint });
    }
    if (token !== null) checkedHeader("authorization", token);
    this.#authorize(token === null ? null : { kind: "bearer", token });
  }

  setBasicAuth(username: string, password: string): void {
    if (username.includes(":")) {
      throw new SeqqaError("BASIC_AUTH_INVALID", "The user name for basic authentication contains a colon, which HTTP does not allow.", {
        hint: "Use a user name without a colon (RFC 7617, section 2).",
      });
    }
    this.#authorize({ kind: "header", value: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}` });
  }

  setHeader(name: string, value: string | null): void {
    const lower = checkedHeader(name, value ?? "");
    if (lower === "authorization") {
      this.#authorize(value === null ? null : { kind: "header", value });
      return;
    }
    if (this.#headers[lower] === (value ?? undefined)) return;
    const headers = { ...this.#headers };
    if (value === null) delete headers[lower];
    else headers[lower] = value;
    this.#headers = headers;
    this.#changed();
  }

  receiveCookies(lines: readonly string[], url: string): void {
    if (this.cookies.receive(lines, url)) this.#changed();
  }

  /** Returns the headers of every request, without cookies. The same object is returned until something changes; callers must not modify it. */
  headers(contentType: string | undefined): Readonly<Record<string, string>> {
    this.#sent ??= Object.freeze(
      this.#authorization === null ? { ...this.#headers } : { ...this.#headers, authorization: valueOf(this.#authorization) },
    );
    if (contentType === undefined || "content-type" in this.#sent) return this.#sent;
    let sent = this.#sentWithType.get(contentType);
    if (sent === undefined) this.#sentWithType.set(contentType, (sent = Object.freeze({ ...this.#sent, "content-type": contentType })));
    return sent;
  }

  save(): SavedClient {
    if (this.#saved !== undefined) return this.#saved;
    const headers = changedHeaders(this.#headers, this.#initial.headers);
    this.#saved = {
      ...(!sameAuthorization(this.#authorization, this.#initial.authorization) && { authorization: this.#authorization }),
      ...(headers && { headers }),
      cookies: this.cookies.save(),
    };
    return this.#saved;
  }

  restore(saved: SavedClient): void {
    if (saved === this.#saved) return;
    this.#authorization = saved.authorization === undefined ? this.#initial.authorization : saved.authorization;
    this.#headers = withChanges(this.#initial.headers, saved.headers);
    this.cookies.restore(saved.cookies);
    this.#changed();
    this.#saved = saved;
  }

  restoreCookies({ cookies }: SavedClient): void {
    if (this.cookies.save() === cookies) return;
    this.cookies.restore(cookies);
    this.#changed();
  }

  copy(): ClientState {
    const copy = new ClientState(NONE, undefined);
    copy.#initial = this.#initial;
    copy.#version = this.#version;
    copy.restore(this.save());
    copy.cookies.ageLike(this.cookies);
    return copy;
  }

  acting(): ActingClient | undefined {
    const authorization = sameAuthorization(this.#authorization, this.#initial.authorization)
      ? undefined
      : shownAuthorization(this.#authorization);
    const changed = changedHeaders(this.#headers, this.#initial.headers);
    const cookie = changed?.["cookie"];
    const headers = typeof cookie === "string" ? { ...changed, cookie: unsignedCookies(cookie, this.cookies.values()) } : changed;
    const cookies = this.cookies.empty ? undefined : this.cookies.acting();
    const some = cookies !== undefined && cookies.length > 0 ? cookies : undefined;
    if (authorization === undefined && headers === undefined && some === undefined) return undefined;
    return { ...authorization, ...(headers && { headers }), ...(some && { cookies: some }) };
  }

  /** Returns {@link acting} without the lifetimes of cookies. A renewed cookie still identifies the user who got the cookie first. */
  bearer(): ActingClient | undefined {
    const acting = this.acting();
    const cookies = acting?.cookies?.map(({ name, value, domain, path }): ActingCookie => ({ name, value, domain, path }));
    return cookies === undefined ? acting : { ...acting, cookies };
  }

  #authorize(authorization: Authorization | null): void {
    if (sameAuthorization(authorization, this.#authorization)) return;
    this.#authorization = authorization;
    this.#changed();
  }

  #changed(): void {
    this.#version++;
    this.#saved = undefined;
    this.#sent = undefined;
    if (this.#sentWithType.size > 0) this.#sentWithType = new Map();
  }
}

function valueOf(authorization: Authorization): string {
  return authorization.kind === "bearer" ? `Bearer ${authorization.token}` : authorization.value;
}

function sameAuthorization(a: Authorization | null, b: Authorization | null): boolean {
  return a === b || (a !== null && b !== null && valueOf(a) === valueOf(b));
}

/** Returns a bearer token without the `Bearer ` prefix, so that the canonical form recognizes the token as a generated value. */
function shownAuthorization(authorization: Authorization | null): ActingClient {
  if (authorization === null) return { authorization: null };
  return authorization.kind === "bearer" ? { token: authorization.token } : { authorization: authorization.value };
}

function withChanges(
  before: Readonly<Record<string, string>>,
  changes: Readonly<Record<string, string | null>> | undefined,
): Readonly<Record<string, string>> {
  if (changes === undefined) return before;
  const headers: Record<string, string> = { ...before };
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) delete headers[name];
    else headers[name] = value;
  }
  return headers;
}

function changedHeaders(
  now: Readonly<Record<string, string>>,
  before: Readonly<Record<string, string>>,
): Readonly<Record<string, string | null>> | undefined {
  if (now === before) return undefined;
  const changed: Record<string, string | null> = {};
  for (const name of [...new Set([...Object.keys(now), ...Object.keys(before)])].sort()) {
    if (now[name] !== before[name]) changed[name] = now[name] ?? null;
  }
  return Object.keys(changed).length === 0 ? undefined : changed;
}
