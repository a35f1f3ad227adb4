import { createHash } from "node:crypto";
import { TELLS_SENDER } from "../../model/http/client.ts";
import { decoded } from "../../model/http/decoded.ts";
import type { ApiResponse } from "../../model/http/response.ts";

/** The smallest number of characters of a credential. Shorter values, such as a language in a cookie, occur in rows of other users, too. */
const SHORTEST = 16;
/** Matches a cookie in a header `cookie` or `set-cookie`. The first group is the value. */
const COOKIE = /(?:^|[;,]\s*)[^=;,\s]+="?([^;,"]*)/g;

/**
 * Returns the credentials that requests sent and that their answers set: tokens, and values of cookies. Servers often store only a hash of a
 * credential, so the usual hashes of each credential are returned, too.
 */
export function credentialsOf(answers: readonly Pick<ApiResponse, "headers" | "request">[]): readonly string[] {
  const found = answers.flatMap(({ headers, request }) => [
    ...cookies(headers["set-cookie"] ?? ""),
    ...Object.entries(request.headers).flatMap(([name, value]) => {
      if (name.toLowerCase() === "cookie") return cookies(value);
      return TELLS_SENDER.test(name) ? [value.slice(value.lastIndexOf(" ") + 1)] : [];
    }),
  ]);
  return [...new Set(found)].filter(({ length }) => length >= SHORTEST).flatMap((text) => [text, ...hashes(text)]);
}

/** Returns the values of the cookies in a header. Of a signed cookie (`s:<id>.<signature>`), returns the id, too. */
function cookies(header: string): readonly string[] {
  return [...header.matchAll(COOKIE)].flatMap(([, value = ""]) => {
    const text = decoded(value);
    return /^s:[^.]+\./.test(text) ? [text, text.slice(2, text.indexOf("."))] : [text];
  });
}

function hashes(text: string): readonly string[] {
  return ["sha256", "sha512", "sha1", "md5"].flatMap((name) => {
    const hash = createHash(name).update(text).digest();
    return [hash.toString("hex"), hash.toString("base64"), hash.toString("base64url")];
  });
}
