import { REDACTED } from "../../../config/index.ts";
import type { Json } from "../../infer/plan.ts";
import { words } from "../../infer/resources/words.ts";
import type { Recording } from "../recorded-call.ts";

const FOLDED = new Set(
  [
    ...REDACTED,
    "pwd",
    "passphrase",
    "apikey",
    "jwt",
    "id_token",
    "auth_token",
    "session_token",
    "csrf_token",
    "refresh",
    "otp",
    "pin",
    "cvv",
    "cvc",
  ].map(folded),
);
/** The minimum length of a secret that is searched in other values. Shorter texts often occur there by accident. */
const SHORTEST = 6;

function folded(name: string): string {
  return words(name).join("");
}

export function isSecretName(name: string): boolean {
  const plain = folded(name);
  return (
    FOLDED.has(plain) || /(?:password|secret|apikey|token|session|sessionid|sid|auth|csrf|xsrf|jwt|signature|credential)s?$/.test(plain)
  );
}

/** The secrets in a recording. None of them may appear in a generated file. */
export class Secrets {
  readonly #texts: readonly string[];

  constructor({ calls, from, secrets = [] }: Pick<Recording, "calls" | "from" | "secrets">) {
    const texts = new Set<string>();
    const isVariable = (text: string): boolean => from === "postman" && text.includes("{{");
    const add = (text: string): void => void (text.length >= SHORTEST && !isVariable(text) && texts.add(text));
    secrets.forEach(add);
    for (const { headers, query, body, answer } of calls) {
      for (const [name, value] of headers) {
        if (name === "authorization")
          value
            .split(/\s+/)
            .slice(1)
            .forEach((part) => credentialsIn(part).forEach(add));
        if (name === "cookie") value.split(";").forEach((one) => add(one.slice(one.indexOf("=") + 1).trim()));
        if (isSecretName(name)) add(value);
      }
      for (const [name, value] of [...query, ...(body !== undefined && "fields" in body ? body.fields : [])])
        if (isSecretName(name)) add(value);
      if (body?.as === "json") secretsIn(body.value).forEach(add);
      if (answer?.body !== undefined) secretsIn(answer.body).forEach(add);
    }
    this.#texts = [...texts].slice(0, 5_000);
  }

  has(text: string): boolean {
    return this.#texts.some((secret) => text.includes(secret));
  }
}

/** Returns the secrets in an `Authorization` header. For the scheme `Basic`, these include the decoded user name and password. */
function credentialsIn(part: string): readonly string[] {
  const plain = /^[\w+/]+=*$/.test(part) ? Buffer.from(part, "base64").toString("utf8") : "";
  return plain.includes(":") ? [part, plain, plain.slice(plain.indexOf(":") + 1)] : [part];
}

function secretsIn(value: Json, name: string = ""): readonly string[] {
  if (typeof value === "string") return isSecretName(name) ? [value] : [];
  if (Array.isArray(value)) return (value as readonly Json[]).flatMap((one) => secretsIn(one, name));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, of]) => secretsIn(of, key));
}
