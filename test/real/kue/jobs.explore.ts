import { Action, Agent, type ApiClient, type ApiResponse } from "seqqa";

interface Queue {
  job: number;
}

const change = (name: string, how: string): Action<Queue> =>
  new Action<Queue>({
    name,
    precondition: (context) => context.has("job"),
    run: (api, context) => api.put(`/job/${context.getRequired("job")}/${how}`),
  });

const create = async (api: ApiClient): Promise<ApiResponse> =>
  api.post("/job", { json: { type: "email", data: { to: "ada@example.com" } } });

/**
 * A job, and what its page offers. No rule: what two calls may come to is known from what they do one after the other.
 *
 * What Kue 0.11.6 does wrong: a request reads the whole job from its hash, changes one thing, and writes all of it back, as it was when it was read. The job
 * is also in a list for its state, and is taken out of that of the state which was read, alone. Nothing notices that somebody else wrote in between. So
 * - of `hurry` and `complete` (or `fail`) at once one is undone: the priority is the old one again, and the job that is complete is also in the list
 *   of those that wait, from which workers take what they do: it would be done once more;
 * - of `complete` and `fail` at once each takes the job from those that wait and puts it into a list of its own: it is complete and failed.
 */
export const agent: Agent<Queue> = new Agent<Queue>({
  name: "jobs",
  actions: [
    new Action<Queue>({
      name: "create_job",
      precondition: (context) => !context.has("job"),
      run: async (api, context) => {
        const response = await create(api);
        context.set("job", response.json<{ id: number }>().id);
        return response;
      },
    }),
    change("hurry", "priority/-10"),
    change("complete", "state/complete"),
    change("fail", "state/failed"),
  ],
  invariants: [],
  // A job that waits is announced to workers again by every change, so that there is no end of states.
  maxDepth: 3,
});
