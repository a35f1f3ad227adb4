import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const migrateUnleash = (server, url) =>
  execFileSync(process.execPath, [fileURLToPath(new URL("unleash-migrate.mjs", import.meta.url))], {
    env: { ...process.env, SERVER: server, DATABASE_URL: url },
    stdio: ["ignore", "ignore", "inherit"],
  });

/**
 * Returns a function that creates the tables of a database. It starts the server of the named pair without PORT, which then exits after creating the
 * tables.
 */
const tablesBy = (name) => (server, url) =>
  execFileSync(process.execPath, [fileURLToPath(new URL(`${name}/server.mjs`, import.meta.url))], {
    env: { ...process.env, SERVER: server, DATABASE_URL: url, PORT: undefined, VENDURE_DISABLE_TELEMETRY: "true" },
    stdio: "ignore",
  });

const nocodb = {
  package: "nocodb",
  versions: ["0.265.1", "0.301.3"],
  beside: { express: "^4.21.0" },
  // The package depends on versions of these packages that are not on npm.
  overrides: { xlsx: "0.18.5", "knex-databricks": "npm:knex@3.1.0", "knex-snowflake": "npm:knex@3.1.0" },
  compiled: ["sqlite3"],
  template: { kind: "postgres", prepare: tablesBy("nocodb-reset") },
  before: "2026-09-15",
};

/**
 * Published defects. `versions`: a version with the defect, and a version with the fix. `beside`: packages that are installed together with it.
 * `overrides`: versions for dependencies of dependencies. `compiled`: packages whose install scripts run. `before`: only versions that were published
 * until this day are installed. `folder`: the folder of the exploration; default: the name of the pair.
 */
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
    // Version 8.6.33 fixed only the use of a code one time after another (GHSA-4hf6-3x24-c9m8). It still accepts one code twice at the same time,
    // which 8.6.60 fixed.
    versions: ["8.6.32", "8.6.60"],
    advisory: "GHSA-4hf6-3x24-c9m8 and GHSA-2299-ghjr-6vjp: a recovery code works twice",
    template: { kind: "postgres" },
    before: "2026-09-01",
  },
  {
    name: "parse-recovery-at-once",
    folder: "parse-recovery",
    package: "parse-server",
    versions: ["8.6.59", "8.6.60"],
    advisory: "GHSA-2299-ghjr-6vjp: a recovery code works twice at once",
    template: { kind: "postgres" },
    before: "2026-09-01",
  },
  {
    name: "parse-reset",
    package: "parse-server",
    versions: ["8.6.47", "8.6.48"],
    advisory: "GHSA-r3xq-68wh-gwvh: one reset link sets the password several times at once",
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
  {
    name: "better-auth-quota",
    package: "@better-auth/api-key",
    // Version 1.6.17 made the counter atomic (pull request 9993). On PostgreSQL, however, it does not check its limit again after waiting for the
    // row, which 1.7.0 fixed.
    versions: ["1.6.16", "1.7.1"],
    advisory: "better-auth pull request 9993: calls at once exceed the quota of an API key",
    beside: (version) => ({ "better-auth": version, pg: "^8.16.0" }),
    template: { kind: "postgres", prepare: tablesBy("better-auth-quota") },
    before: "2026-10-15",
  },
  {
    name: "directus-logout",
    package: "directus",
    versions: ["10.10.4", "10.11.1"],
    advisory: "CVE-2024-34709: a session works after the user has logged out",
    compiled: ["isolated-vm"],
    template: { kind: "postgres", prepare: tablesBy("directus-suspended") },
    before: "2026-08-01",
  },
  {
    name: "passport-fixation",
    package: "passport",
    versions: ["0.5.3", "0.6.0"],
    advisory: "CVE-2022-25896: a session from before the login is logged in",
    beside: {
      "passport-local": "^1.0.0",
      "connect-pg-simple": "^9.0.1",
      express: "^4.21.0",
      "express-session": "^1.18.0",
      pg: "^8.16.0",
    },
    template: { kind: "postgres", prepare: tablesBy("passport-fixation") },
    before: "2026-09-01",
  },
  {
    name: "better-auth-orphan",
    package: "better-auth",
    versions: ["1.3.34", "1.4.0"],
    advisory: "better-auth issue 4193: a registration that fails leaves a user without an account",
    beside: { pg: "^8.16.0" },
    template: { kind: "postgres", prepare: tablesBy("better-auth-orphan") },
    before: "2026-08-01",
  },
  {
    ...nocodb,
    name: "nocodb-reset",
    advisory: "GHSA-x4vh-j75g-268g: refresh tokens survive a password reset",
  },
  {
    ...nocodb,
    name: "nocodb-mcp",
    advisory: "CVE-2026-28361: a user reads, renews and deletes the tokens of another user",
  },
];
