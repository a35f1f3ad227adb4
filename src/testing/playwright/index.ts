export { worldFixture, type PlaywrightTestFixture, type PlaywrightWorkerFixture } from "./world-fixture.ts";
