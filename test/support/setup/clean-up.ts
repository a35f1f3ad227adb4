import { afterAll } from "vitest";
import { cleanUpFile } from "../at-end.ts";

// Set-up files are evaluated for every test file, also where files share a worker and its modules.
afterAll(cleanUpFile);
