import { createHash } from "node:crypto";
import { TELLS_SENDER } from "../../model/http/client.ts";
import { decoded } from "../../model/http/decoded.ts";
import { unsignedCookie } from "../../model/http/signed-cookie.ts";
import type { ApiResponse } from "../../model/http/response.ts";
import { cookiesSentWith, cookiesSetBy } from "../answers/grants.ts";

/** The smallest number of characters of a credential. Shorter values, such as a language in a cookie, occur in rows of other users, too. */
const SHORTEST = 16;

/**
 * Returns the credentials that requests sent and that their answers set: tokens, and values of cookies. Servers often store only a hash of a
 * credential, so the usual hashes of each credential are returned, too.
 */
export function credentialsOf(answers: readonly Pick<ApiResponse, "headers" | "request">[]): readonly string[] {
  const found = answers.flatMap((answer) => [
    ...[...cookiesSetBy(answer).map(({ value }) => value), ...cookiesSentWith(answer).values()].flatMap(inCookie),
    ...Object.entries(answer.request.headers).flatMap(([name, value]) =>
      TELLS_SENDER.test(name) && name.toLowerCase() !== "cookie" ? [value.slice(value.lastIndexOf(" ") + 1)] : [],
    ),
  ]);
  return [...new Set(found)].filter(({ length }) => length >= SHORTEST).flatMap((text) => [text, ...hashes(text)]);
}

/** Returns the decoded value of a cookie, without quotes. For a signed cookie (`s:<id>.<signature>`), returns the id, too. */
function inCookie(value: string): readonly string[] {
  const text = decoded(value.replace(/^"(.*)"$/, "$1"));
  const content = unsignedCookie(text);
  return content === text ? [text] : [text, content.slice("s:".length)];
}

function hashes(text: string): readonly string[] {
  return ["sha256", "sha512", "sha1", "md5"].flatMap((name) => {
    const hash = createHash(name).update(text).digest();
    return [hash.toString("hex"), hash.toString("base64"), hash.toString("base64url")];
  });
}
