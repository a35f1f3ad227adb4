import { openWorld } from "../open-world.ts";
import type { WorldOptions } from "../options/world-options.ts";
import type { TestWorld } from "../world/test-world.ts";
import type { WorldCheckpoint } from "../world/world-checkpoint.ts";

/** The fixtures that each test gets. */
export interface VitestWorldFixture {
  /** One world for each worker, closed when the worker ends. */
  readonly world: TestWorld;
  /** A checkpoint that is taken before each test and restored after it, even if the test does not use the fixture. */
  readonly checkpoint: WorldCheckpoint;
}

type Fixture<T, Context, Options> = [(context: Context, use: (value: T) => Promise<void>) => Promise<void>, Options];

interface TaskContext {
  readonly task: { readonly name: string; readonly fullName?: string };
}

/**
 * Returns fixtures for Vitest: `test.extend<VitestWorldFixture>(worldFixture({ dbUrl }))`. Each test then starts in the state in which the world was
 * opened. Do not run the tests of one file at the same time (`test.concurrent`), because they share a world. Files may run in parallel, because each
 * worker has its own databases.
 */
export function worldFixture(options: WorldOptions): {
  world: Fixture<TestWorld, object, { scope: "worker" }>;
  checkpoint: Fixture<WorldCheckpoint, { readonly world: TestWorld } & TaskContext, { auto: true }>;
} {
  return {
    world: [
      // Vitest reads the names of fixtures from the source text of the function, so the first parameter must be a destructuring pattern.
      // oxlint-disable-next-line no-empty-pattern
      async ({}, use) => {
        const world = await openWorld(options);
        try {
          await use(world);
        } finally {
          await world.close();
        }
      },
      { scope: "worker" },
    ],
    checkpoint: [
      async ({ world, task }, use) => {
        const name = task.fullName ?? task.name;
        // Taking the checkpoint fails at the first try if an earlier test wrote after its end. Do not throw the error here, because Vitest would then
        // run a retried test without a checkpoint. Collect the errors instead.
        const failures: Error[] = [];
        const checkpoint = await world.checkpoint(name).catch((error: Error) => {
          failures.push(error);
          return world.checkpoint(name);
        });
        try {
          await use(checkpoint);
        } finally {
          await checkpoint[Symbol.asyncDispose]();
        }
        const [failure] = failures;
        if (failure !== undefined) throw failure;
      },
      { auto: true },
    ],
  };
}
