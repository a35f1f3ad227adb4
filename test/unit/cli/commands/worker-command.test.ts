import { beforeAll, expect, it } from "vitest";
import { SeqqaError } from "../../../../src/model/errors.ts";
import type { Machinery } from "../../../../src/cli/index.ts";
import { folderWith, seqqa } from "../../../support/cli-harness.ts";

const URL = "redis://user:pass-word@queue.example:6379";
const env = { SEQQA_SECRET: "of the tests" };
type WorkInput = Parameters<Machinery["work"]>[0];

let cwd = "";
beforeAll(() => {
  cwd = folderWith({ "qa/shop.explore.ts": "", "qa/seqqa.yaml": "timeout: 7\n", "seqqa.yaml": "" });
});

it("works in the directory that was named, with its configuration, lanes and secret", async () => {
  const inputs: WorkInput[] = [];
  const work = (input: WorkInput): Promise<void> => Promise.resolve(void inputs.push(input));
  const ran = await seqqa(["worker", "qa", "--redis", URL, "--parallel", "3"], { cwd, env, work });
  expect([ran.status, ran.stdout, ran.stderr]).toEqual([0, "", ""]);
  expect(inputs).toMatchObject([{ directory: `${cwd}/qa`, url: URL, secret: "of the tests", config: { timeout: 7, parallel: 3 } }]);
});

it("without a directory works in the folder of the configuration", async () => {
  const inputs: WorkInput[] = [];
  const work = (input: WorkInput): Promise<void> => Promise.resolve(void inputs.push(input));
  await seqqa(["worker", "--redis", URL, "--config", "qa/seqqa.yaml"], { cwd, env, work });
  expect(inputs).toMatchObject([{ directory: `${cwd}/qa`, config: { timeout: 7 } }]);
});

it.each<readonly [string, readonly string[], Readonly<Record<string, string>>, string]>([
  ["no secret", ["--redis", URL], {}, "seqqa worker needs the environment variable SEQQA_SECRET"],
  ["no Redis", [], env, "--redis"],
  ["no such directory", ["nowhere", "--redis", URL], env, "The directory nowhere does not exist."],
  ["a file", ["qa/shop.explore.ts", "--redis", URL], env, "qa/shop.explore.ts is a file, but a directory is expected."],
  ["lanes that are none", ["--redis", URL, "--parallel", "none"], env, "--parallel"],
])("is refused for %s, in one sentence", async (_what, args, given, says) => {
  const ran = await seqqa(["worker", ...args], { cwd, env: given });
  expect([ran.status, ran.stdout, ran.stderr]).toEqual([2, "", expect.stringContaining(says)]);
  expect(ran.stderr.match(/^error: /gm)).toHaveLength(1);
  expect(ran.stderr).not.toContain("pass-word");
});

it("ends as what stopped the work says, in its words", async () => {
  const refused = new SeqqaError("WORKER_REFUSED", "The distributed run refused this worker: it is strange.", {
    hint: "Be another.",
    exitStatus: 2,
  });
  const ran = await seqqa(["worker", "qa", "--redis", URL], { cwd, env, work: () => Promise.reject(refused) });
  expect([ran.status, ran.stderr]).toEqual([2, "error: The distributed run refused this worker: it is strange.\nhint: Be another.\n"]);
});

it("interrupted, is no error", async () => {
  const work = ({ signal, onNote }: WorkInput, interrupt: () => void): Promise<void> => {
    onNote("Joined.");
    return new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason as Error));
      interrupt();
    });
  };
  const ran = await seqqa(["worker", "qa", "--redis", URL], { cwd, env, work });
  expect([ran.status, ran.stderr]).toEqual([130, expect.stringMatching(/^Joined\.\n/)]);
  expect(ran.stderr).not.toContain("error");
});

it.each([
  [["run", "--all", "--distributed", URL], env, "--distributed works only for explorations"],
  [["run", "qa", "--distributed", URL], {}, "--distributed needs the environment variable SEQQA_SECRET"],
])("a run is refused: %j", async (args, given, says) => {
  const ran = await seqqa(args, { cwd, env: given });
  expect([ran.status, ran.stderr]).toEqual([2, expect.stringContaining(says)]);
  expect(ran.inputs).toEqual([]);
});
