import { MessageChannel, type MessagePort } from "node:worker_threads";
import { Piscina } from "piscina";
import type { RanStep } from "../../journeys/index.ts";
import { codeRoot } from "../../model/code-root.ts";
import type { LaneSpec } from "../../targets/lanes/lane-spec.ts";
import type { ProcessHost } from "../lane-factory.ts";
import { decodeError } from "../threads/error-codec.ts";
import { serveProcesses } from "../threads/process-channel.ts";
import type { Answer } from "../threads/protocol.ts";
import type { JourneyRunner, JourneySettings, LaneFacts, LaneJourney, BundledJourney } from "./journey-runner.ts";

/** A task for the thread that runs journeys. Tasks are executed one after another. */
export type JourneyTask =
  | {
      readonly kind: "attach";
      readonly settings: JourneySettings;
      readonly spec: LaneSpec;
      /** The port through which the thread asks the main thread to restart the target's process. */
      readonly processes: MessagePort;
    }
  | {
      readonly kind: "run";
      readonly bundle: string;
      /** The port through which the main thread cancels the journey. Any message cancels it. */
      readonly cancel: MessagePort;
    }
  | { readonly kind: "close" };

/** Runs journeys in a separate thread. The steps of a journey are reported after the end of the journey. */
export class ThreadJourneyRunner implements JourneyRunner {
  readonly #settings: JourneySettings;
  readonly #host: Partial<ProcessHost>;
  #pool: Piscina | undefined;
  #ports: MessagePort[] = [];

  constructor(settings: JourneySettings, host: Partial<ProcessHost>) {
    this.#settings = settings;
    this.#host = host;
  }

  async attach(spec: LaneSpec): Promise<LaneFacts> {
    await this.close();
    this.#pool = new Piscina({
      filename: new URL("lane-pools/journeys/journey-worker.js", codeRoot).href,
      minThreads: 1,
      maxThreads: 1,
      idleTimeout: Infinity,
      // By default, Piscina blocks the event loop of a thread between tasks. Sockets and timers of user code need the event loop.
      atomics: "disabled",
      recordTiming: false,
    });
    this.#pool.on("error", () => undefined);
    const { port1, port2 } = new MessageChannel();
    this.#ports = [port1];
    serveProcesses(this.#host, port1);
    return this.#ask<LaneFacts>({ kind: "attach", settings: this.#settings, spec, processes: port2 }, [port2]);
  }

  async run({ bundle }: BundledJourney, signal: AbortSignal, onStep: (step: RanStep) => void): Promise<LaneJourney> {
    const { port1, port2 } = new MessageChannel();
    const cancel = (): void => port1.postMessage(null);
    if (signal.aborted) cancel();
    signal.addEventListener("abort", cancel);
    try {
      const done = await this.#ask<LaneJourney>({ kind: "run", bundle, cancel: port2 }, [port2]);
      for (const step of done.ran.steps) onStep(step);
      return done;
    } finally {
      signal.removeEventListener("abort", cancel);
      port1.close();
    }
  }

  async close(): Promise<void> {
    const pool = this.#pool;
    this.#pool = undefined;
    if (pool === undefined) return;
    try {
      // Do not send a task to a thread that has ended, since such a thread cannot answer.
      if (pool.threads.length > 0) unpacked((await pool.run({ kind: "close" } satisfies JourneyTask)) as Answer<void>);
    } finally {
      for (const port of this.#ports) port.close();
      await pool.destroy();
    }
  }

  async #ask<T>(task: JourneyTask, transferList: MessagePort[]): Promise<T> {
    return unpacked((await this.#pool!.run(task, { transferList: transferList as never })) as Answer<T>);
  }
}

function unpacked<T>(answer: Answer<T>): T {
  if (answer.kind === "failed") throw decodeError(answer.error);
  return answer.value;
}
