import { passwordsOf, withoutSecrets } from "../../model/text/url-secrets.ts";
import { hideCredentials, type Output } from "../../reports/index.ts";
import type { Shell } from "./shell.ts";

/**
 * Guards the one exit of all that a process prints, that of user code included: passwords of URLs, known from `argv`, the environment and `keepSecret`, are
 * hidden on standard error, and so are tokens and cookies. Standard output carries reports, in which `report.redact` says what is hidden, and passwords in URLs.
 *
 * Changes `write` of the shell's streams.
 */
export function guardOutput(shell: Shell, argv: readonly string[]): Shell {
  const values = argv.map((one) => one.replace(/^--[\w-]+=/, ""));
  let urls: readonly string[] = [...values, ...Object.values(shell.env)].filter((value) => value !== undefined);
  let passwords = tellingPasswords(urls);
  // Reports are redacted by values; a text of JSON would be broken by a word in the place of a number.
  guard(shell.stdout, (text) => withoutSecrets(text));
  guard(shell.stderr, (text) => hideCredentials(withoutSecrets(text, passwords)));
  return {
    ...shell,
    keepSecret: (more) => {
      urls = [...urls, ...more];
      passwords = tellingPasswords(urls);
    },
  };
}

/** `postgres`, `123456` and the name of a database are passwords, too, and words that any message may have: they are hidden in URLs alone. */
function tellingPasswords(urls: readonly string[]): readonly string[] {
  const isName = (password: string): boolean => urls.some((url) => url.split(password).length > 2);
  const isMixed = (password: string): boolean => [/[a-z]/, /[A-Z]/, /[^a-z]/i].filter((kind) => kind.test(password)).length > 1;
  return passwordsOf(urls).filter((one) => !isName(one) && (one.length >= 12 || (one.length >= 6 && isMixed(one))));
}

/** Output of lanes' threads comes in bytes, each write of theirs as a whole. */
function guard(output: Output, shown: (text: string) => string): void {
  const write = output.write.bind(output) as (chunk: unknown, ...rest: readonly unknown[]) => unknown;
  Object.assign(output, {
    write: (chunk: string | Uint8Array, ...rest: readonly unknown[]) =>
      write(shown(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString()), ...rest),
  });
}
