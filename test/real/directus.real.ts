import { join } from "node:path";
import { expect, it } from "vitest";
import { startNode } from "../support/e2e.ts";
import { template } from "../support/store-templates.ts";
import { install } from "./install.ts";
import { twoHundredSteps } from "./two-hundred-steps.ts";

/** Makes its tables, and the administrator, in an empty database. */
async function bootstrap(server: string, database: string): Promise<void> {
  const { hostname, port, username, password, pathname } = new URL(database);
  const env = {
    KEY: "seqqa",
    SECRET: "a-secret-that-is-only-used-in-tests",
    DB_CLIENT: "pg",
    DB_HOST: hostname,
    DB_PORT: port === "" ? "5432" : port,
    DB_DATABASE: pathname.slice(1),
    DB_USER: username,
    DB_PASSWORD: password,
    ADMIN_EMAIL: "ada@example.org",
    ADMIN_PASSWORD: "secret-12",
    TELEMETRY: "false",
  };
  const started = startNode([join(server, "node_modules/directus/cli.js"), "bootstrap"], { env, timeoutMs: 300_000 });
  await started.ended;
  expect(started.said.stdout + started.said.stderr).toContain("Done");
}

/** `directus/files.explore.ts` says which findings are expected, and why. */
it("Directus from one configuration: nothing diverges, and what is found is what it does wrong", async () => {
  const server = await install("directus", "10.13.1", ["isolated-vm"]);
  const database = await template("postgres");
  await bootstrap(server, database);
  const { findings } = await twoHundredSteps("directus", { REAL_SERVER: server, REAL_TEMPLATE: database }, 1);
  expect(findings).toEqual([["no_server_errors", ["create_folder", "create_subfolder", "delete_folder"]]]);
});
