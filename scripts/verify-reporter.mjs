import { appendFileSync } from "node:fs";
import { relative } from "node:path";

/** Appends each test's verdict to the file of `npm run verify:full` as soon as it is known: `left` for one that its part had no time for. */
export default class VerifyReporter {
  onTestCaseResult(test) {
    const { state, note } = test.result();
    const status = state === "skipped" && note === "left to a later part" ? "left" : state;
    const verdict = {
      file: relative(process.cwd(), test.module.moduleId),
      name: test.fullName,
      status,
      durationMs: Math.round(test.diagnostic()?.duration ?? 0),
    };
    appendFileSync(process.env.SEQQA_VERIFY_VERDICTS, `${JSON.stringify(verdict)}\n`);
  }
}
