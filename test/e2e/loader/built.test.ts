import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { workspace } from "../../process/loader/workspace.ts";

/** The built package: a test runner's own import is not Node's. */
const dist = fileURLToPath(new URL("../../../dist", import.meta.url));

const SCRIPT = `
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";
import { bundle, load, mapStack, whereOf } from "${dist}/loader/index.js";
import { SeqqaError } from "${dist}/index.js";

async function look(file) {
  const { run, error } = await load({ file });
  const thrown = await run().catch((error) => error);
  return { own: error instanceof SeqqaError, stack: mapStack(thrown.stack).split("\\n").slice(0, 3), where: whereOf(thrown) };
}

if (isMainThread) {
  const { file } = await bundle("a.explore.ts", { outDir: "out" });
  const worker = new Worker(new URL(import.meta.url), { workerData: file });
  const threaded = await new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject));
  const wrong = await bundle("wrong.explore.ts", { outDir: "out" }).then(load).catch(({ code, message, exitStatus }) => ({ code, message, exitStatus }));
  console.log(JSON.stringify({ main: await look(file), threaded, wrong }));
} else {
  parentPort.postMessage(await look(workerData));
}
`;

const FILES = {
  "script.mjs": SCRIPT,
  "a.explore.ts": `import { SeqqaError } from "seqqa";
interface Shape { readonly n: number }

export const error = new SeqqaError("X", "x");
export const run = async (): Promise<void> => {
  await null;
  fail({ n: 1 });
};
function fail(shape: Shape): never { throw new TypeError("wrong " + shape.n); }
`,
  "wrong.explore.ts": `import { SeqqaError } from "seqqa";
import { HttpClient,
  HttpCleint } from "seqqa/adapters/http";
export const all = [SeqqaError, HttpClient, HttpCleint];
`,
};

describe.each([[[]], [["--enable-source-maps"]]])("the built loader, node %j", (flags) => {
  it("gives one copy of seqqa and the user's own lines, in workers too", async () => {
    const folder = workspace(FILES);
    const { stdout } = await promisify(execFile)(process.execPath, [...flags, "script.mjs"], { cwd: folder });
    const { main, threaded, wrong } = JSON.parse(stdout) as Record<string, unknown>;
    const file = join(folder, "a.explore.ts");
    expect(main).toMatchObject({ own: true, where: "a.explore.ts:9:44" });
    expect((main as { stack: string[] }).stack).toEqual([
      "TypeError: wrong 1",
      `    at fail (${file}:9:44)`,
      expect.stringMatching(`at .*\\(?${file}:7:3`),
    ]);
    expect(threaded).toEqual(main);
    expect(wrong).toMatchObject({ code: "LOAD_SYNTAX", exitStatus: 2 });
    expect((wrong as { message: string }).message).toBe(
      "wrong.explore.ts:3:3: The requested module 'seqqa/adapters/http' does not provide an export named 'HttpCleint'.",
    );
  });
});
