import type { ViteUserConfig } from "vitest/config";
import base from "../../vitest.config.ts";

/** `npm run test:real`: opt-in, since it installs a server from the npm registry and takes minutes. */
const config: ViteUserConfig = {
  ...base,
  test: { ...base.test, include: ["test/real/*.real.ts"], testTimeout: 1_800_000, hookTimeout: 600_000 },
};

export default config;
