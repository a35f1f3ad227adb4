import { describe, expect, it } from "vitest";
import { guardOutput } from "../../../../src/cli/process/guard-output.ts";
import type { Shell } from "../../../../src/cli/process/shell.ts";

function guarded(argv: readonly string[], env: Readonly<Record<string, string>>): { readonly shell: Shell; readonly said: string[] } {
  const said: string[] = [];
  const output = { write: (text: string) => said.push(text) };
  const shell: Shell = {
    stdout: { ...output },
    stderr: { ...output },
    env,
    cwd: "/",
    onInterrupt: () => () => undefined,
    exit: () => undefined,
  };
  return { shell: guardOutput(shell, argv), said };
}

describe("what a process prints", () => {
  it("has no password of a URL of the command line, the environment or the configuration in it", () => {
    const { shell, said } = guarded(["run", "--base-url=http://u:from-argv@h", "redis://:second-arg@h"], {
      DB: "mysql://u:from'env x@h/d",
    });
    shell.keepSecret!(["postgres://u:from/file@h/d"]);
    const text = "from-argv second-arg from'env x from/file http://u:other@h/";
    shell.stderr.write(text);
    expect(said).toEqual(["*** *** *** *** http://u:***@h/"]);
  });

  it("keeps words and numbers that are passwords somewhere, and JSON on standard output", () => {
    const env = { DB: "postgres://postgres:postgres@h/test", MINE: "mysql://shop_dev1:shop_dev1@h/shop_dev1", N: "redis://:123456@h/0" };
    const { shell, said } = guarded([], { ...env, LONG: "redis://:kXqWzRtYpLmN@h/0" });
    shell.stderr.write("db (postgres): postgres://postgres:postgres@h/test, --allow-db shop_dev1, 123456 steps, kXqWzRtYpLmN");
    shell.stdout.write('{"n":123456,"url":"redis://:kXqWzRtYpLmN@h/0","word":"kXqWzRtYpLmN"}');
    expect(said).toEqual([
      "db (postgres): postgres://postgres:***@h/test, --allow-db shop_dev1, 123456 steps, ***",
      '{"n":123456,"url":"redis://:***@h/0","word":"kXqWzRtYpLmN"}',
    ]);
  });

  it("has no token and no cookie in it on standard error; standard output is left to report.redact", () => {
    const { shell, said } = guarded([], {});
    const text = "sent Bearer abcdef123456 and sid=0123456789; Path=/ and Basic dXNlcjpwYXNz, Basic authentication";
    shell.stdout.write(text);
    shell.stderr.write(text);
    expect(said).toEqual([text, "sent Bearer [redacted] and sid=[redacted]; Path=/ and Basic [redacted], Basic authentication"]);
  });

  it("is guarded where lanes hand it on in bytes", () => {
    const { shell, said } = guarded([], {});
    shell.stderr.write(Buffer.from("[pay] grüße von http://u:pw@h\n") as unknown as string);
    expect(said).toEqual(["[pay] grüße von http://u:***@h\n"]);
  });
});
