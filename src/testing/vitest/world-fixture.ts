import { openWorld } from "../open-world.ts";
import type { WorldOptions } from "../options/world-options.ts";
import type { TestWorld } from "../world/test-world.ts";
import type { WorldCheckpoint } from "../world/world-checkpoint.ts";

/** Values of the fixtures. */
export interface VitestWorldFixture {
  /** One world for each worker, closed when the worker ends. */
  readonly world: TestWorld;
  /** Taken before each test and restored after it, whether the test asks for it or not. */
  readonly checkpoint: WorldCheckpoint;
}

type Fixture<T, Context, Options> = [(context: Context, use: (value: T) => Promise<void>) => Promise<void>, Options];

/** The part of Vitest's own context that is used. */
interface TaskContext {
  readonly task: { readonly name: string; readonly fullName?: string };
}

/**
 * Returns fixtures for Vitest: `test.extend<VitestWorldFixture>(worldFixture({ dbUrl }))`. Each test then starts from the state that the world was opened with. Tests of one
 * file must not run at the same time (`test.concurrent`), since they share a world; files run in parallel, in workers with databases of their own.
 */
export function worldFixture(options: WorldOptions): {
  world: Fixture<TestWorld, object, { scope: "worker" }>;
  checkpoint: Fixture<WorldCheckpoint, { readonly world: TestWorld } & TaskContext, { auto: true }>;
} {
  return {
    world: [
      // Vitest reads the names of fixtures from the text of the function: the first parameter must be a pattern.
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
        const checkpoint = await world.checkpoint(task.fullName ?? task.name);
        try {
          await use(checkpoint);
        } finally {
          await checkpoint[Symbol.asyncDispose]();
        }
      },
      { auto: true },
    ],
  };
}
