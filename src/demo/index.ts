import { fileURLToPath } from "node:url";
import { packageRoot } from "../model/code-root.ts";

/** The folder of the demonstration: its `seqqa.yaml`, its exploration and the shop's server. The same from `src` and from `dist`. */
export function demoDirectory(): string {
  return fileURLToPath(new URL("fixtures/demo", packageRoot));
}
