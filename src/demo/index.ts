import { fileURLToPath } from "node:url";
import { packageRoot } from "../model/code-root.ts";

/** Returns the folder of the demonstration, with its `seqqa.yaml`, its exploration and the shop's server. */
export function demoDirectory(): string {
  return fileURLToPath(new URL("fixtures/demo", packageRoot));
}
