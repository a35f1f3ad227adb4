import type { ViteUserConfig } from "vitest/config";
import { shared } from "../../vitest.config.ts";

/** `npm run test:real`: opt-in, since it installs servers from the npm registry and takes minutes. */
const config: ViteUserConfig = {
  ...shared,
  test: {
    ...shared.test,
    include: ["test/real/*.real.ts"],
    globalSetup: ["test/support/setup/build.ts", "test/support/setup/servers.ts"],
    pool: "forks",
    testTimeout: 1_800_000,
    hookTimeout: 600_000,
  },
};

export default config;
