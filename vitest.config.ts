import { fileURLToPath } from "node:url";
import { defineConfig, type ViteUserConfig } from "vitest/config";
import { full } from "./test/sizes.ts";

const source = (path: string): string => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

const config: ViteUserConfig = defineConfig({
  resolve: {
    // Unit tests run the sources; tests of threads and of the command line start the built package by themselves.
    alias: [
      { find: /^seqqa$/, replacement: source("index.ts") },
      { find: /^seqqa\/adapters\/([a-z]+)$/, replacement: source("adapters/$1/index.ts") },
    ],
  },
  test: {
    include: ["test/**/*.test.ts"],
    // Finds, starts or installs PostgreSQL, MariaDB and Redis; bundles the script of the HTML report.
    globalSetup: ["test/support/services/global-setup.ts", "test/support/report-bundle.ts"],
    // Processes, not threads: the tests open SQLite, start servers and use process.chdir and signals.
    pool: "forks",
    // The target processes and lanes that the tests start want cores too.
    maxWorkers: 2,
    testTimeout: full ? 3_600_000 : 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 20_000,
  },
});

export default config;
