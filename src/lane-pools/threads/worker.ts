import { Piscina } from "piscina";
import { takeUncaught } from "../uncaught.ts";
import { labelOutput } from "../user-output.ts";
import { LaneServer } from "./lane-server.ts";
import type { AttachAnswer, ExpandAnswer, Task } from "./protocol.ts";

labelOutput();
const server = new LaneServer();
process.on("unhandledRejection", (error) => server.stray(error));
takeUncaught((error) => server.uncaught(error));

/**
 * The entry point of a lane's worker thread. Passes each task to the lane. The rows of an answer are transferred to the main thread without copying.
 */
export default async function run(task: Task): Promise<AttachAnswer | ExpandAnswer> {
  if (task.kind === "attach") return server.attach(task);
  const answer = await server.expand(task);
  if (answer.kind === "failed") return answer;
  const moved = Piscina.move({
    get [Piscina.transferableSymbol](): object {
      return [answer.value.rows.buffer, answer.value.words.buffer];
    },
    get [Piscina.valueSymbol](): object {
      return answer;
    },
  } as never);
  return moved as unknown as ExpandAnswer;
}
