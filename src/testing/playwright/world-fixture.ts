import { openWorld } from "../open-world.ts";
import type { WorldOptions } from "../options/world-options.ts";
import type { TestWorld } from "../world/test-world.ts";
import type { WorldCheckpoint } from "../world/world-checkpoint.ts";

/** Values of the fixture that each test has. */
export interface PlaywrightTestFixture {
  /** Taken before each test and restored after it, whether the test asks for it or not. */
  readonly checkpoint: WorldCheckpoint;
}

/** Values of the fixture that each worker has. */
export interface PlaywrightWorkerFixture {
  /** One world for each worker, closed when the worker ends. Start the application on `world.urls` in a worker fixture of your own. */
  readonly world: TestWorld;
}

type Use<T> = (value: T) => Promise<void>;

/**
 * Returns fixtures for Playwright: `test.extend<PlaywrightTestFixture, PlaywrightWorkerFixture>(worldFixture({ dbUrl }))`. Each test then starts from the
 * state that the world was opened with. Playwright runs the tests of a worker one after another.
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
      // Playwright reads the names of fixtures from the text of the function: the first parameter must be a pattern.
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
