import { afterAll, afterEach } from "vitest";
import { cleanUpFile, cleanUpTest } from "../at-end.ts";

// Set-up files are evaluated for every test file, also where files share a worker and its modules.
afterEach(cleanUpTest);
afterAll(cleanUpFile);
