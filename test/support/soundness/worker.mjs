// A process that runs the built command again and again, one run at a time: it loads the modules only once, so that a run of a small target costs a
// third of a run in a process of its own.
import { main } from "../../../dist/cli/index.js";

process.on("message", (job) => void run(job));

async function run({ args, cwd }) {
  const said = { stdout: "", stderr: "" };
  process.chdir(cwd);
  const status = await main(args, {
    stdout: { write: (text) => ((said.stdout += text), true) },
    stderr: { write: (text) => ((said.stderr += text), true) },
    env: process.env,
    cwd,
    onInterrupt: () => () => undefined,
    exit: (code) => process.exit(code),
  });
  process.send({ status, ...said });
}
