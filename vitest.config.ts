import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { defineConfig, type ViteUserConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { REPORT } from "./scripts/test-report.mjs";
import { full } from "./test/sizes.ts";

const source = (path: string): string => fileURLToPath(new URL(`./src/${path}`, import.meta.url));
const SETUP = "test/support/setup";
const CORES = Math.min(availableParallelism(), 4);

// Node reads this file at its start, which nearly doubles the cost of a process; the tests start thousands, and none needs the certificates.
delete process.env["NODE_EXTRA_CA_CERTS"];

// Tests run most code a few times only. With V8's own budget, a third of the processor time of unit tests goes into optimizing that code.
const OPTIMIZE_LATE = "--interrupt-budget=600000";
setFlagsFromString(OPTIMIZE_LATE);

const FORKS: NonNullable<ViteUserConfig["test"]> = { pool: "forks", execArgv: [OPTIMIZE_LATE] };

/** What all projects have in common. */
export const shared: ViteUserConfig = {
  resolve: {
    // Tests run the sources, except those of the built command.
    alias: [
      { find: /^seqqa$/, replacement: source("index.ts") },
      { find: /^seqqa\/testing$/, replacement: source("testing/index.ts") },
      { find: /^seqqa\/testing\/([a-z]+)$/, replacement: source("testing/$1/index.ts") },
      { find: /^seqqa\/adapters\/([a-z]+)$/, replacement: source("adapters/$1/index.ts") },
    ],
  },
  test: {
    setupFiles: [`${SETUP}/clean-up.ts`, ...(full ? [`${SETUP}/part.ts`] : [])],
    // For what hangs; on a machine that is busy with other things all takes several times as long.
    testTimeout: full ? 3_600_000 : 300_000,
    hookTimeout: 180_000,
    teardownTimeout: 20_000,
    // A condition that a test waits for with expect.poll(): one second, the default, is too short on a busy machine.
    expect: { poll: { timeout: 30_000 } },
  },
};

/**
 * One project after another, each in the order that Vitest would use. A worker process goes on with the next file only if that is of the same project;
 * between files of two projects it would end, and another one would load everything again.
 */
class ProjectByProject extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const order = ["unit", "browser", "e2e", "stores", "process"];
    const rank = ({ project }: TestSpecification): number => order.indexOf(project.name);
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

/** The project of a folder of `test`: the folder alone decides how a test runs and what is started for it. */
function project(name: string, own: NonNullable<ViteUserConfig["test"]>): ViteUserConfig {
  // Unit tests first: most mistakes show within seconds. They do not wait, so more workers than cores would only load all modules once more; the
  // others wait much of the time for processes and servers.
  const unit = name === "unit";
  const scheduling = { sequence: { groupOrder: unit ? 0 : 1 }, maxWorkers: unit ? CORES : Math.round(3.5 * CORES) };
  const setupFiles = [...(shared.test!.setupFiles as string[]), ...((own.setupFiles ?? []) as string[])];
  const globalSetup = [`${SETUP}/temporary-folder.ts`, ...((own.globalSetup ?? []) as string[])];
  return {
    ...shared,
    test: { ...shared.test, include: [`test/${name}/**/*.test.ts`], ...own, ...scheduling, name, setupFiles, globalSetup },
  };
}

const config: ViteUserConfig = defineConfig({
  test: {
    sequence: { sequencer: ProjectByProject },
    reporters: ["default", ["json", { outputFile: REPORT }]],
    // Transformed files are kept on disk from run to run.
    experimental: { fsModuleCache: true },
    projects: [
      // Pure code: files share threads and their modules.
      project("unit", { pool: "threads", isolate: false, setupFiles: [`${SETUP}/pure.ts`] }),
      // Tests that start processes or threads, change the working directory or send signals.
      project("process", { ...FORKS, isolate: false }),
      // Tests on PostgreSQL, MariaDB and Redis.
      project("stores", { ...FORKS, isolate: false, globalSetup: [`${SETUP}/servers.ts`] }),
      // The built command. The package is loaded by Node itself, as users have it, so that each of its classes exists once.
      project("e2e", {
        ...FORKS,
        isolate: false,
        globalSetup: [`${SETUP}/build.ts`, `${SETUP}/servers.ts`],
        server: { deps: { external: [/\/dist\//] } },
      }),
      // The HTML report in Chromium.
      project("browser", { pool: "forks", globalSetup: [`${SETUP}/browser.ts`] }),
    ],
  },
});

export default config;
