import { appendFileSync } from "node:fs";
import { relative } from "node:path";

const write = (line) => appendFileSync(process.env.SEQQA_VERIFY_VERDICTS, `${JSON.stringify(line)}\n`);
const fileOf = (module) => relative(process.cwd(), module.moduleId);

/**
 * Appends the verdict of each test to the file of `npm run verify:full` as soon as it is known. The verdict `left` means that the part had no time
 * for the test. After all tests of a file have ended, one more line lists the errors that occurred outside of its tests. Another line lists errors
 * that occurred outside of all files.
 */
export default class VerifyReporter {
  onTestModuleEnd(module) {
    // If a worker died, some tests have no verdict, so the file has not ended.
    if ([...module.children.allTests()].some((test) => test.result().state === "pending")) return;
    const errors = [...module.errors(), ...suitesOf(module).flatMap((suite) => suite.errors())];
    write({ file: fileOf(module), ended: true, errors: errors.map(({ message }) => message) });
  }

  onTestRunEnd(_modules, unhandledErrors) {
    if (unhandledErrors.length > 0) write({ file: "", ended: true, errors: unhandledErrors.map(({ message }) => message) });
  }

  onTestCaseResult(test) {
    const { state, note } = test.result();
    const status = state === "skipped" && note === "left to a later part" ? "left" : state;
    const verdict = {
      file: fileOf(test.module),
      name: test.fullName,
      status,
      durationMs: Math.round(test.diagnostic()?.duration ?? 0),
    };
    write(verdict);
  }
}

const suitesOf = (module) => [...module.children.allSuites()];
