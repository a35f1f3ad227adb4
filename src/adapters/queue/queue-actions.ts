import type { ApiClient } from "../../model/http/client.ts";
import { storeOf, type Context, type Values } from "../../model/context/context.ts";
import { Action } from "../../model/declare/action.ts";
import { SeqqaError } from "../../model/errors.ts";
import type { ApiResponse } from "../../model/http/response.ts";
import type { QueueJob, QueueStore, Settlement } from "./job.ts";

/** Options of {@link queueActions}. */
export interface QueueActionsOptions<C extends object = Values, A = ApiClient> {
  /** The name of the queue in BullMQ or RabbitMQ; the name of the stream in NATS. */
  readonly queue: string;
  /** Executes a job with the worker's code: by a request to the target, or by calling a function and returning `ApiResponse.of(200)`. */
  readonly run: (api: A, job: QueueJob, context: Context<C>) => Promise<ApiResponse>;
  /** Decides how a job ends. Default: `done` for a status below 400, else `retry`. */
  readonly settle?: (response: ApiResponse) => Exclude<Settlement, "lost">;
  /** The prefix of the actions' names. Default: the queue's name. */
  readonly name?: string;
}

/**
 * Returns three actions that take the place of the workers of a queue. The target's own workers must not run.
 *
 * - `<queue>_next`: a worker takes and executes the next job.
 * - `<queue>_twice`: the next job is executed and, if it is then done, executed again, as a broker with at-least-once delivery may do.
 * - `<queue>_lost`: a worker executes the next job and crashes before it acknowledges the job, so the job waits again. This happens at most once for
 *   each job.
 *
 * @param store The name of the store in the world.
 */
export function queueActions<C extends object = Values, A = ApiClient>(
  store: string,
  { queue, run, settle = ({ status }) => (status < 400 ? "done" : "retry"), name = queue }: QueueActionsOptions<C, A>,
): Action<C, A>[] {
  const execute = async (api: A, job: QueueJob, context: Context<C>): Promise<ApiResponse> => {
    const response = (await run(api, job, context)) as ApiResponse | null | undefined;
    if (response !== null && response !== undefined) return response;
    throw new SeqqaError("QUEUE_RUN_RESULT", `The function \`run\` of queueActions for the queue "${queue}" returned no response.`, {
      hint: "Make `run` return the API's response to the request that `run` sends. If `run` sends no request, return ApiResponse.of(200).",
    });
  };
  /**
   * Creates an action that takes and executes the next job. `ends` receives the response and decides how the job ends. It can call `again` to execute
   * the job a second time.
   */
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
      // The action may never apply, because the API may never create a job. The action may never succeed, because the worker's code may reject a job
      // that was already done.
      mayNeverApply: true,
      mayNeverSucceed: true,
      run: async (api, context) => {
        const jobs = queueStore(context, store);
        const taken = (await applies(jobs)) ? await jobs.take(queue) : undefined;
        if (taken === undefined) return null;
        const again = (): Promise<ApiResponse> => execute(api, taken.job, context);
        const [response, end] = await again()
          .then((first) => ends(first, again))
          .catch(async (error: unknown) => {
            // Give the job back like a worker that crashed, because the broker would otherwise keep it locked. The error of `run` is more important.
            await taken.settle("lost").catch(() => undefined);
            throw error;
          });
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
      `a worker executes the next job of ${queue} and crashes before it acknowledges the job`,
      async (response) => [response, "lost"],
      async (jobs) => (await jobs.jobs(queue)).find(({ state }) => state !== "failed")?.redelivered === false,
    ),
  ];
}

/** Returns the store of the world with this name. @throws SeqqaError `QUEUE_STORE` if the store has no queues */
function queueStore(context: object, name: string): QueueStore {
  const store = storeOf<Partial<QueueStore>>(context, name);
  if (typeof store.take === "function" && typeof store.jobs === "function") return store as QueueStore;
  throw new SeqqaError("QUEUE_STORE", `An action uses systems.${name} as a queue, but this store has no queues.`, {
    exitStatus: 2,
    hint: "Declare this store in seqqa.yaml with a URL that begins with bullmq:, amqp: or nats:.",
  });
}
