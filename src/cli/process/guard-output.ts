import { passwordsOf, withoutSecrets } from "../../model/text/url-secrets.ts";
import { hideCredentials, type Output } from "../../reports/index.ts";
import type { Shell } from "./shell.ts";

/**
 * Hides secrets in all output of the process, including output of user code. On standard error, passwords of known URLs (from `argv`, the environment
 * and `keepSecret`), tokens and cookies are hidden. On standard output, only passwords inside URLs are hidden, because reports are already redacted
 * by `report.redact`.
 * Replaces the `write` methods of the shell's streams.
 */
export function guardOutput(shell: Shell, argv: readonly string[]): Shell {
  const values = argv.map((one) => one.replace(/^--[\w-]+=/, ""));
  let urls: readonly string[] = [...values, ...Object.values(shell.env)].filter((value) => value !== undefined);
  let passwords = tellingPasswords(urls);
  // On standard output, only passwords inside URLs are hidden. Hiding a password such as `123456` everywhere could make a JSON report invalid.
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
 * Returns the passwords that can be hidden wherever they occur. Passwords that are also ordinary words, such as `postgres`, `123456` or a database
 * name, are not returned, because they can be hidden only inside URLs.
 */
function tellingPasswords(urls: readonly string[]): readonly string[] {
  const isName = (password: string): boolean => urls.some((url) => url.split(password).length > 2);
  const isMixed = (password: string): boolean => [/[a-z]/, /[A-Z]/, /[^a-z]/i].filter((kind) => kind.test(password)).length > 1;
  return passwordsOf(urls).filter((one) => !isName(one) && (one.length >= 12 || (one.length >= 6 && isMixed(one))));
}

/** Changes each text before a stream writes it, by replacing the stream's method `write`. Output of worker threads arrives as bytes. */
function guard(output: Output, shown: (text: string) => string): void {
  const write = output.write.bind(output) as (chunk: unknown, ...rest: readonly unknown[]) => unknown;
  Object.assign(output, {
    write: (chunk: string | Uint8Array, ...rest: readonly unknown[]) =>
      write(shown(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString()), ...rest),
  });
}
