import { decoded } from "./decoded.ts";

/** Matches a cookie that Express signed: `s:`, the value, and its HMAC of SHA-256 in base64. */
const SIGNED = /^s(?::|%3A)(.+)\.(?:[A-Za-z0-9+/]|%2B|%2F){43}$/i;

/**
 * Returns the value of a cookie without the signature that Express (`cookie-signature`) adds, because the signature follows from the value, and parts
 * of the encoded signature would look like generated values. The value is decoded, because stores hold ids in base64 without URL encoding.
 */
export function unsignedCookie(value: string): string {
  const content = SIGNED.exec(value)?.[1];
  return content === undefined ? value : `s:${decoded(content)}`;
}

/**
 * Returns a `Cookie` header whose cookies have no signature of Express; see {@link unsignedCookie}.
 *
 * @param kept The values of cookies that the target has set. If a cookie in the header has the value of such a cookie, but another signature, the
 *   returned value ends with `.forged`, because the target refuses this cookie.
 */
export function unsignedCookies(header: string, kept: readonly string[] = []): string {
  return header.replaceAll(/(?<==)[^;\s]+/g, (value) => {
    const content = unsignedCookie(value);
    const alike = content === value ? [] : kept.filter((other) => unsignedCookie(other) === content);
    return alike.length === 0 || alike.some((other) => decoded(other) === decoded(value)) ? content : `${content}.forged`;
  });
}
