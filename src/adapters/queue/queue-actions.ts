import type { ApiClient } from "../../model/http/client.ts";
import { storeOf, type Context, type Values } from "../../model/context/context.ts";
import { Action } from "../../model/declare/action.ts";
import { SeqqaError } from "../../model/errors.ts";
import type { ApiResponse } from "../../model/http/response.ts";
import type { QueueJob, QueueStore, Settlement } from "./job.ts";

/** Options of {@link queueActions}. */
export interface QueueActionsOptions<C extends object = Values, A = ApiClient> {
  /** The queue: its name in BullMQ and RabbitMQ, the stream in NATS. */
  readonly queue: string;
  /** Executes a job with the worker's code: by a request to the target, or by calling a function and returning `ApiResponse.of(200)`. */
  readonly run: (api: A, job: QueueJob, context: Context<C>) => Promise<ApiResponse>;
  /** Decides how a job ends. Default: `done` for an answer below 400, else `retry`. */
  readonly settle?: (response: ApiResponse) => Exclude<Settlement, "lost">;
  /** The beginning of the actions' names; default: the queue's name. */
  readonly name?: string;
}

/**
 * Returns three actions of workers on a queue. `<queue>_next`: a worker takes the next job. `<queue>_twice`: the next job runs twice, as a broker that
 * delivers at least once allows. `<queue>_lost`: a worker vanishes after its work and before it confirms, and the job waits again; once for each job.
 * The target's own workers must not run.
 * @param store The name of the store in the World.
 */
export function queueActions<C extends object = Values, A = ApiClient>(
  store: string,
  { queue, run, settle = ({ status }) => (status < 400 ? "done" : "retry"), name = queue }: QueueActionsOptions<C, A>,
): Action<C, A>[] {
  const execute = async (api: A, job: QueueJob, context: Context<C>): Promise<ApiResponse> => {
    const response = (await run(api, job, context)) as ApiResponse | null | undefined;
    if (response !== null && response !== undefined) return response;
    throw new SeqqaError("QUEUE_RUN_RESULT", `The function run of queueActions for "${queue}" returned no response.`, {
      hint: "Return the response of the request, or ApiResponse.of(200).",
    });
  };
  /** `ends`: how the job ends; it may execute the job again. */
  const action = (
    suffix: string,
    description: string,
    ends: (first: ApiResponse, again: () => Promise<ApiResponse>) => Promise<readonly [ApiResponse, Settlement]>,
    applies: (store: QueueStore) => Promise<boolean> = async () => true,
  ): Action<C, A> =>
    new Action<C, A>({
      name: `${name}_${suffix}`,
      description,
      tags: ["queue"],
      changesStores: [store],
      // In a small API there may be no job, and a correct worker may refuse a job that is done.
      mayNeverApply: true,
      mayNeverSucceed: true,
      run: async (api, context) => {
        const jobs = queueStore(context, store);
        const taken = (await applies(jobs)) ? await jobs.take(queue) : undefined;
        if (taken === undefined) return null;
        const [response, end] = await ends(await execute(api, taken.job, context), () => execute(api, taken.job, context));
        await taken.settle(end);
        return response;
      },
    });
  return [
    action("next", `a worker takes the next job of ${queue}`, async (response) => [response, settle(response)]),
    action("twice", `the next job of ${queue} runs twice`, async (first, again) => {
      const response = settle(first) === "done" ? await again() : first;
      return [response, settle(response)];
    }),
    action(
      "lost",
      `a worker does the next job of ${queue} and vanishes before it confirms`,
      async (response) => [response, "lost"],
      async (jobs) => (await jobs.jobs(queue)).find(({ state }) => state !== "failed")?.redelivered === false,
    ),
  ];
}

/** @throws SeqqaError `QUEUE_STORE` for a store without queues */
function queueStore(context: object, name: string): QueueStore {
  const store = storeOf<Partial<QueueStore>>(context, name);
  if (typeof store.take === "function" && typeof store.jobs === "function") return store as QueueStore;
  throw new SeqqaError("QUEUE_STORE", `systems.${name} has no queues.`, {
    exitStatus: 2,
    hint: "Declare it with a bullmq:, amqp: or nats: URL.",
  });
}
