import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Whether packages can be installed here: on Debian, as root. */
export function canInstall(): boolean {
  return process.getuid?.() === 0 && existsSync("/etc/debian_version");
}

/** Installs a package of Debian, which need not be missing; what went wrong, or `undefined`. Processes that do it at once wait for each other, since apt-get itself does not. */
export function install(name: string): string | undefined {
  const options = { stdio: "pipe", env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } } as const;
  const alone = (...args: readonly string[]): void =>
    void execFileSync("flock", [join(tmpdir(), "seqqa-test-install.lock"), "apt-get", ...args], options);
  try {
    alone("update", "-q");
    alone("install", "-y", "-q", "--no-install-recommends", name);
    return undefined;
  } catch (error) {
    const { stderr, message } = error as Error & { readonly stderr?: Buffer };
    return `apt-get install ${name} failed: ${(String(stderr ?? "").trim() || message).slice(-300)}`;
  }
}
