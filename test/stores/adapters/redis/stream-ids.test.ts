import { expect, test } from "vitest";
import { RedisAdapter } from "../../../../src/adapters/redis/index.ts";
import type { ExplorationResult } from "../../../../src/index.ts";
import { Action, Agent, Invariant, World } from "../../../../src/index.ts";
import { ApiResponse } from "../../../../src/model/http/response.ts";
import { afterEveryTest } from "../../../support/at-end.ts";
import { ownServer } from "./scratch.ts";

const server = ownServer();

const { SEQQA_ALLOW_DB } = process.env;
afterEveryTest(() => {
  if (SEQQA_ALLOW_DB === undefined) delete process.env["SEQQA_ALLOW_DB"];
  else process.env["SEQQA_ALLOW_DB"] = SEQQA_ALLOW_DB;
});

interface Jobs {
  /** The number of jobs that were created. */
  readonly made?: number;
  /** The id of the last job. */
  readonly job?: string;
  readonly broken?: true;
}

/** Explores a queue in a stream. If `isBroken`, a look for the last job breaks a rule once this job is gone but another job waits. */
async function explore(isBroken: boolean): Promise<ExplorationResult> {
  process.env["SEQQA_ALLOW_DB"] = "127.0.0.1/1";
  const target = server.client();
  await target.select(1);
  const agent = new Agent<Jobs, object>({
    world: new World<Jobs, object>({ api: {}, systems: { db: new RedisAdapter({ url: server.url(1) }) } }),
    actions: [
      new Action<Jobs, object>({
        name: "create",
        run: async (_api, context) => {
          const made = context.get("made") ?? 0;
          if (made === 2) return null;
          const id = (await target.xadd("jobs", "*", "n", "x"))!;
          context.set("made", made + 1);
          context.set("job", id);
          return ApiResponse.of(201, { id });
        },
      }),
      new Action<Jobs, object>({
        name: "work",
        run: async () => {
          const first = (await target.xrange("jobs", "-", "+", "COUNT", 1)).at(0);
          if (first === undefined) return null;
          await target.xdel("jobs", first[0]);
          return ApiResponse.of(200, { id: first[0] });
        },
      }),
      new Action<Jobs, object>({
        name: "cancel",
        run: async (_api, context) => {
          const job = context.get("job");
          return job === undefined ? null : ApiResponse.of((await target.xdel("jobs", job)) === 1 ? 204 : 404);
        },
      }),
      new Action<Jobs, object>({
        name: "look",
        run: async (_api, context) => {
          const job = context.get("job");
          if (job === undefined) return null;
          const isFound = (await target.xrange("jobs", job, job)).length === 1;
          if (isBroken && !isFound && (await target.xlen("jobs")) > 0) context.set("broken", true);
          return ApiResponse.of(isFound ? 200 : 404);
        },
      }),
    ],
    invariants: [new Invariant<Jobs, object>({ name: "unbroken", check: ({ context }) => context.get("broken") === undefined })],
  });
  return agent.explore();
}

test("an entry of a stream is known by the id that a client holds", async () => {
  const { violations } = await explore(true);
  expect(violations).toMatchObject([{ invariant: "unbroken", reproductionPath: ["create", "create", "cancel", "look"] }]);
});

test("a correct queue in a stream", async () => {
  const result = await explore(false);
  expect(result).toMatchObject({ violations: [], divergences: [], unverified: [] });
});
