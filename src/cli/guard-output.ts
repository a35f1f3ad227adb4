import { passwordsOf, withoutSecrets } from "../model/url-secrets.ts";
import { hideCredentials, type Output } from "../reports/index.ts";
import type { Shell } from "./shell.ts";

/**
 * Guards the one exit of all that a process prints, that of user code included: passwords of URLs, known from `argv`, the environment and `keepSecret`, are
 * hidden in both streams, and on standard error tokens and cookies, too. Standard output carries reports, in which `report.redact` says what is hidden.
 *
 * Changes `write` of the shell's streams.
 */
export function guardOutput(shell: Shell, argv: readonly string[]): Shell {
  const values = argv.map((one) => one.replace(/^--[\w-]+=/, ""));
  let urls: readonly string[] = [...values, ...Object.values(shell.env)].filter((value) => value !== undefined);
  let passwords = passwordsOf(urls).filter(isTelling);
  const shown = (text: string): string => withoutSecrets(text, passwords);
  guard(shell.stdout, shown);
  guard(shell.stderr, (text) => hideCredentials(shown(text)));
  return {
    ...shell,
    keepSecret: (more) => {
      urls = [...urls, ...more];
      passwords = passwordsOf(urls).filter(isTelling);
    },
  };
}

/** `postgres` and `test` are passwords, too, and words that any message may have: they are hidden in URLs alone. */
function isTelling(password: string): boolean {
  return password.length >= 6 && /[^a-z]/i.test(password);
}

/** Output of lanes' threads comes in bytes. */
function guard(output: Output, shown: (text: string) => string): void {
  const write = output.write.bind(output) as (chunk: unknown, ...rest: readonly unknown[]) => unknown;
  Object.assign(output, {
    write: (chunk: string | Uint8Array, ...rest: readonly unknown[]) =>
      write(shown(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString()), ...rest),
  });
}
