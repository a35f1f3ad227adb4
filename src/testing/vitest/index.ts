export { worldFixture, type VitestWorldFixture } from "./world-fixture.ts";
