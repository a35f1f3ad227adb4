import { openWorld } from "../open-world.ts";
import type { WorldOptions } from "../options/world-options.ts";
import type { TestWorld } from "../world/test-world.ts";
import type { WorldCheckpoint } from "../world/world-checkpoint.ts";

/** The fixtures that each test gets. */
export interface PlaywrightTestFixture {
  /** A checkpoint that is taken before each test and restored after it, even if the test does not use the fixture. */
  readonly checkpoint: WorldCheckpoint;
}

/** The fixtures that each worker gets. */
export interface PlaywrightWorkerFixture {
  /** One world for each worker, closed when the worker ends. Start the application with `world.urls` in a separate worker fixture. */
  readonly world: TestWorld;
}

type Use<T> = (value: T) => Promise<void>;

/**
 * Returns fixtures for Playwright: `test.extend<PlaywrightTestFixture, PlaywrightWorkerFixture>(worldFixture({ dbUrl }))`. Each test then starts in
 * the state in which the world was opened. Playwright runs the tests of a worker one after another.
 */
export function worldFixture(options: WorldOptions): {
  world: [(fixtures: object, use: Use<TestWorld>, worker: { readonly parallelIndex: number }) => Promise<void>, { scope: "worker" }];
  checkpoint: [
    (fixtures: { readonly world: TestWorld }, use: Use<WorldCheckpoint>, test: { readonly titlePath: readonly string[] }) => Promise<void>,
    { auto: true },
  ];
} {
  return {
    world: [
      // Playwright reads the names of fixtures from the source text of the function, so the first parameter must be a destructuring pattern.
      // oxlint-disable-next-line no-empty-pattern
      async ({}, use, { parallelIndex }) => {
        const world = await openWorld({ worker: parallelIndex, ...options });
        try {
          await use(world);
        } finally {
          await world.close();
        }
      },
      { scope: "worker" },
    ],
    checkpoint: [
      async ({ world }, use, { titlePath }) => {
        const checkpoint = await world.checkpoint(titlePath.join(" > "));
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
