import { appendFileSync } from "node:fs";
import { relative } from "node:path";

const write = (line) => appendFileSync(process.env.SEQQA_VERIFY_VERDICTS, `${JSON.stringify(line)}\n`);
const fileOf = (module) => relative(process.cwd(), module.moduleId);

/**
 * Appends each test's verdict to the file of `npm run verify:full` as soon as it is known: `left` for one that its part had no time for. A file has a line
 * of its own when all of its tests have ended, with what went wrong outside of them, and so has what went wrong outside of all files.
 */
export default class VerifyReporter {
  onTestModuleEnd(module) {
    // Of a worker that died, tests are left without a verdict.
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
