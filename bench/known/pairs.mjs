import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const migrateUnleash = (server, url) =>
  execFileSync(process.execPath, [fileURLToPath(new URL("unleash-migrate.mjs", import.meta.url))], {
    env: { ...process.env, SERVER: server, DATABASE_URL: url },
    stdio: ["ignore", "ignore", "inherit"],
  });

/** Makes the tables by a server that ends once it has done so: it has no port. */
const tablesBy = (name) => (server, url) =>
  execFileSync(process.execPath, [fileURLToPath(new URL(`${name}/server.mjs`, import.meta.url))], {
    env: { ...process.env, SERVER: server, DATABASE_URL: url, PORT: undefined, VENDURE_DISABLE_TELEMETRY: "true" },
    stdio: "ignore",
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
  {
    name: "payload-attempts",
    package: "payload",
    versions: ["3.49.0", "3.49.1"],
    advisory: "wrong passwords that come at once are counted as one",
    beside: (version) => ({ "@payloadcms/db-postgres": version, graphql: "^16.8.1" }),
    template: { kind: "postgres", prepare: tablesBy("payload-attempts") },
    before: "2026-08-01",
  },
  {
    name: "strapi-reset",
    package: "@strapi/plugin-users-permissions",
    versions: ["5.33.2", "5.33.3"],
    advisory: "CVE-2026-22706: sessions survive a password reset",
    beside: (version) => ({
      "@strapi/strapi": version,
      "@strapi/provider-email-nodemailer": version,
      "@swc/core": "^1.13.0",
      pg: "^8.16.0",
    }),
    template: { kind: "postgres", prepare: tablesBy("strapi-reset") },
    before: "2026-09-01",
  },
  {
    name: "vendure-coupon",
    package: "@vendure/core",
    versions: ["3.6.1", "3.6.3"],
    advisory: "a coupon is used more often than its limit allows",
    beside: { pg: "^8.16.0" },
    template: { kind: "postgres", prepare: tablesBy("vendure-coupon") },
    before: "2026-09-01",
  },
  {
    name: "better-auth-magic",
    package: "better-auth",
    versions: ["1.6.10", "1.6.11"],
    advisory: "better-auth pull request 9572: one magic link logs in several times at once",
    beside: { pg: "^8.16.0" },
    template: { kind: "postgres", prepare: tablesBy("better-auth-magic") },
    before: "2026-08-01",
  },
  {
    name: "payload-deleted",
    package: "payload",
    versions: ["3.43.0", "3.44.0"],
    advisory: "CVE-2025-4644: the session of a deleted account works for the next account with its id",
    beside: (version) => ({ "@payloadcms/db-sqlite": version, graphql: "^16.8.1" }),
    before: "2026-08-01",
  },
  {
    name: "payload-logout",
    package: "payload",
    versions: ["3.43.0", "3.44.0"],
    advisory: "CVE-2025-4643: a session works after the user has logged out",
    beside: (version) => ({ "@payloadcms/db-sqlite": version, graphql: "^16.8.1" }),
    before: "2026-08-01",
  },
  {
    name: "directus-suspended",
    package: "directus",
    versions: ["11.4.1", "11.6.1"],
    advisory: "GHSA-56p6-qw3c-fq2g: a suspended user can still use a session",
    compiled: ["isolated-vm"],
    template: { kind: "postgres", prepare: tablesBy("directus-suspended") },
    before: "2026-08-01",
  },
];
