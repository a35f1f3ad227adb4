import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { beforeEach } from "vitest";

// For a part of `npm run verify:full`: skips tests that an earlier part has finished, and begins no test after the part's time is up.
const { SEQQA_VERIFY_FINISHED: finishedFile, SEQQA_VERIFY_UNTIL: until } = process.env;
const root = process.cwd();
const finished = new Set(finishedFile === undefined ? [] : (JSON.parse(readFileSync(finishedFile, "utf8")) as readonly string[]));

beforeEach(({ task, skip }) => {
  skip(finished.has(`${relative(root, task.file.filepath)} > ${task.fullTestName}`), "finished in an earlier part");
  skip(until !== undefined && Date.now() > Number(until), "left to a later part");
});
