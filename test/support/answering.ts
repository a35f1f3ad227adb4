import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { atEnd } from "./at-end.ts";
import { emptyFolder, startNode, until, type Running } from "./e2e.ts";

const SERVER = `
import { createServer } from "node:http";
createServer(async (request, response) => {
  let question = "";
  for await (const part of request) question += part;
  if (question === "") return response.end(() => process.exit());
  response.end(JSON.stringify(await answer(JSON.parse(question))));
}).listen(0, "127.0.0.1", function () { console.log("http://127.0.0.1:" + this.address().port); });
`;

/** A Node program that is started once and asked many times, because its start costs more than most answers. */
export interface Answering {
  readonly ask: (question: object) => Promise<unknown>;
  readonly running: Running;
}

/** Starts a module that defines `answer(question)`, which returns a JSON value. The program ends with the tests of the file. */
export function answering(module: string, cwd: string = emptyFolder()): Answering {
  writeFileSync(join(cwd, "answering.mjs"), `${module}${SERVER}`);
  const running = startNode(["answering.mjs"], { cwd, timeoutMs: 1_800_000 });
  const post = async (body: string): Promise<string> => {
    await until(() => running.said.stdout.includes("\n") || running.child.exitCode !== null, "a program that answers", 60_000);
    try {
      return await (await fetch(running.said.stdout.split("\n")[0]!, { method: "POST", body })).text();
    } catch (error) {
      throw new Error(`${running.said.stdout}\n${running.said.stderr}`, { cause: error });
    }
  };
  atEnd(async () => {
    if (running.child.exitCode !== null) return;
    await post("").catch(() => running.child.kill("SIGKILL"));
    await running.ended;
  });
  return { ask: async (question) => JSON.parse(await post(JSON.stringify(question))) as unknown, running };
}
