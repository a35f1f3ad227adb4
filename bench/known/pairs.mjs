import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const migrateUnleash = (server, url) =>
  execFileSync(process.execPath, [fileURLToPath(new URL("unleash-migrate.mjs", import.meta.url))], {
    env: { ...process.env, SERVER: server, DATABASE_URL: url },
    stdio: ["ignore", "ignore", "inherit"],
  });

/** Published defects: the version that has it, and the one that fixes it. */
export const PAIRS = [
  {
    name: "better-auth-reset",
    package: "better-auth",
    versions: ["1.6.16", "1.6.17"],
    advisory: "one reset token is accepted several times at once",
    before: "2026-08-01",
  },
  {
    name: "parse-recovery",
    package: "parse-server",
    versions: ["8.6.32", "8.6.33"],
    advisory: "GHSA-4hf6-3x24-c9m8: a recovery code works twice",
    template: { kind: "postgres" },
    before: "2026-09-01",
  },
  {
    name: "unleash-user",
    package: "unleash-server",
    versions: ["6.10.1", "7.4.1"],
    advisory: "a refused user creation leaves the user",
    template: { kind: "postgres", prepare: migrateUnleash },
    before: "2026-10-15",
  },
];
