import { specOf } from "./soundness/spec.ts";
import * as run from "./soundness/run.ts";
import { mkdirSync, writeFileSync } from "node:fs";
const [seed, bug, store, dir, url] = process.argv.slice(2);
const spec = specOf(Number(seed), [store as any]);
mkdirSync(dir!, { recursive: true });
run.writeTarget(dir!, spec, { bug: bug === "1", lanes: 1, ...(url ? { url } : {}) });
process.exit(0);
