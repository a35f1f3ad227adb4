import { afterAll, afterEach } from "vitest";
import { cleanUpFile, cleanUpTest } from "../at-end.ts";

// The hooks are registered here, because set-up files are evaluated for every test file, even if files share a worker and its modules.
afterEach(cleanUpTest);
afterAll(cleanUpFile);
