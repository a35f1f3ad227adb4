import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Returns `true` if packages can be installed here, which requires Debian and root. */
export function canInstall(): boolean {
  return process.getuid?.() === 0 && existsSync("/etc/debian_version");
}

/**
 * Installs a Debian package, even if it is already installed. Simultaneous calls of several processes wait for each other, because apt-get itself
 * does not wait. @returns a description of the problem; `undefined` if there is none
 */
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
