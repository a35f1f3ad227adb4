import { passwordsOf, withoutSecrets } from "../../model/text/url-secrets.ts";
import { hideCredentials, type Output } from "../../reports/index.ts";
import type { Shell } from "./shell.ts";

/**
 * Guards all output of a process, including that of user code. Passwords of URLs, known from `argv`, the environment and `keepSecret`, are hidden on
 * standard error, and so are tokens and cookies. Standard output carries reports: there `report.redact` decides, and passwords in URLs are hidden.
 *
 * Changes `write` of the shell's streams.
 */
export function guardOutput(shell: Shell, argv: readonly string[]): Shell {
  const values = argv.map((one) => one.replace(/^--[\w-]+=/, ""));
  let urls: readonly string[] = [...values, ...Object.values(shell.env)].filter((value) => value !== undefined);
  let passwords = tellingPasswords(urls);
  // Reports are redacted by values; a word in the place of a number would break JSON.
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

/**
 * Returns the passwords that can be hidden everywhere. `postgres`, `123456` and the name of a database are passwords, too, but also words of ordinary
 * messages: they are hidden only in URLs.
 */
function tellingPasswords(urls: readonly string[]): readonly string[] {
  const isName = (password: string): boolean => urls.some((url) => url.split(password).length > 2);
  const isMixed = (password: string): boolean => [/[a-z]/, /[A-Z]/, /[^a-z]/i].filter((kind) => kind.test(password)).length > 1;
  return passwordsOf(urls).filter((one) => !isName(one) && (one.length >= 12 || (one.length >= 6 && isMixed(one))));
}

/** The output of lanes' threads arrives as bytes, each of their writes as a whole. */
function guard(output: Output, shown: (text: string) => string): void {
  const write = output.write.bind(output) as (chunk: unknown, ...rest: readonly unknown[]) => unknown;
  Object.assign(output, {
    write: (chunk: string | Uint8Array, ...rest: readonly unknown[]) =>
      write(shown(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString()), ...rest),
  });
}
