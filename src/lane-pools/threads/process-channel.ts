import type { MessagePort } from "node:worker_threads";
import { expose, wrap } from "comlink";
import type { ProcessHost } from "../lane-factory.ts";
import { decodeError, encodeError } from "./error-codec.ts";
import type { Answer } from "./protocol.ts";

interface ProcessChannel {
  halt(index: number): Promise<Answer<void>>;
  start(index: number): Promise<Answer<void>>;
}

/** Enables a lane in another thread to restart its target's process. `port`: the port to the lane's thread. Called on the main thread. */
export function serveProcesses(host: Partial<ProcessHost>, port: MessagePort): void {
  const answer = async (work: Promise<void> | undefined): Promise<Answer<void>> => {
    try {
      await work;
      return { kind: "done", value: undefined };
    } catch (error) {
      return { kind: "failed", error: encodeError(error) };
    }
  };
  const channel: ProcessChannel = {
    halt: (index) => answer(host.halt?.(index)),
    start: (index) => answer(host.start?.(index)),
  };
  expose(channel, port);
}

/** Returns an object that ends and starts processes by sending requests to the main thread. Called in a lane's thread. */
export function processesBehind(port: MessagePort): ProcessHost {
  const channel = wrap<ProcessChannel>(port);
  const value = (answer: Answer<void>): void => {
    if (answer.kind === "failed") throw decodeError(answer.error);
  };
  return {
    halt: async (index) => value(await channel.halt(index)),
    start: async (index) => value(await channel.start(index)),
  };
}
