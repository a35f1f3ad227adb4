import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { explore, queues } from "../models/index.ts";
import { full, laneCounts, some } from "../sizes.ts";
import { emptyFolder, folderWith, linkPackages, only, root, seqqa, writtenIn, type Explored } from "../support/e2e.ts";
import { natsUrl, rabbitmqUrl, redisUrl } from "../support/services.ts";

const URLS = {
  bullmq: async () => (await redisUrl()).replace("redis:", "bullmq:"),
  rabbitmq: rabbitmqUrl,
  nats: natsUrl,
} as const;
const BROKERS: readonly (keyof typeof URLS)[] = ["nats", "rabbitmq", "bullmq"];
/** The broker on which the quick suite has a worker with defects. */
const DEFECTS = "bullmq";

async function explored(
  broker: keyof typeof URLS,
  { bug = "", parallel = full ? "2" : "1", flags = [] as readonly string[], more = {} as Readonly<Record<string, string>> } = {},
): Promise<{ readonly status: number | null; readonly found: Explored }> {
  const folder = emptyFolder();
  const args = ["run", join(root, "fixtures/queues"), "--output", folder, "--parallel", parallel, ...flags];
  const { status } = await seqqa(args, { env: { ...more, BUG: bug, QUEUE_URL: await URLS[broker]() } });
  return { status, found: only(writtenIn(folder)) };
}

describe.each(BROKERS)("jobs in %s", (broker) => {
  // In the quick suite not on the broker whose worker has defects below, which are compared with all states of the model.
  it.runIf(full || broker !== DEFECTS)(
    "a correct worker keeps its rules in every state of the model, with one digest for one lane and two",
    async () => {
      const runs = [];
      const depth = full ? undefined : 1;
      const flags = depth === undefined ? [] : ["--max-depth", String(depth)];
      // Two lanes at quick size with one broker, which keeps the queues of lanes apart.
      for (const parallel of !full && broker === BROKERS[0] ? ["2"] : laneCounts) runs.push(await explored(broker, { parallel, flags }));
      const { states, transitions, skipped } = explore(queues(broker), depth === undefined ? {} : { maxDepth: depth });
      for (const { status, found } of runs) {
        expect(found).toMatchObject({ violations: [], divergences: [], errors: [], statesVisited: states, transitions, skipped });
        expect(found.verdict.text).toContain(depth === undefined ? "exhaustive" : `complete to depth ${depth}`);
        expect(status).toBe(0);
      }
      expect(new Set(runs.map(({ found }) => found.digest)).size).toBe(1);
    },
  );

  // In the quick suite on one broker: that of the faults below is another.
  it.runIf(full || broker === DEFECTS)("a worker that works twice, and one that confirms without having worked, are found", async () => {
    const { status, found } = await explored(broker, { bug: "twice lost" });
    const model = explore(queues(broker, ["twice", "lost"]));
    const known = (invariant: string) => found.violations.filter((one) => one.invariant === invariant);
    for (const [invariant, ...paths] of [
      ["charged_once", "place charges_twice", "place charges_lost charges_next"],
      ["job_not_lost", "place hold charges_next", "place hold charges_twice"],
    ] as const) {
      expect(known(invariant)).toMatchObject(paths.map((path) => ({ reproductionPath: path.split(" "), confirmed: true })));
      expect(known(invariant).reduce((sum, { count }) => sum + count, 0)).toBe(model.findings[invariant]);
    }
    expect(found).toMatchObject({ statesVisited: model.states, transitions: model.transitions });
    expect(status).toBe(1);
  });
});

const DEPTH: readonly string[] = full ? [] : ["--max-depth", "2", "--bail"];
/** All that is done at the root, and with one job in the queue. */
const FEW_STEPS: readonly string[] = full ? [] : ["--max-steps", "8"];
/** Fewer trials of each pair, because each is a start of calls; how many show a race is shown by `e2e/races`. */
const FEW_TRIALS: Readonly<Record<string, string>> = full ? {} : { SEQQA_EXPLORATION_RACES_TRIALS: "1" };
/** The kind of fault that loses a job, because each fault is a start of calls, too; that there are all kinds is shown by `e2e/faults`. */
const FAULTS: Readonly<Record<string, string>> = full ? {} : { SEQQA_EXPLORATION_FAULTS_KINDS: "error" };

describe.each(some(BROKERS, 1))("workers of %s that fail, and two at once", (broker) => {
  it("a correct worker has no race, and leaves a job in the queue whose write failed", async () => {
    const { status, found } = await explored(broker, { flags: ["--races", "--faults", ...FEW_STEPS], more: { ...FEW_TRIALS, ...FAULTS } });
    expect(found).toMatchObject({ violations: [], races: [], divergences: [], errors: [] });
    expect(found.raceCoverage?.trials).toBeGreaterThan(0);
    expect(found.faultCoverage?.tried).toBeGreaterThan(0);
    expect(status).toBe(0);
  });

  it("a worker that confirms before its work is done loses the job", async () => {
    const { status, found } = await explored(broker, { bug: "early", flags: ["--faults", ...DEPTH], more: FAULTS });
    expect(found.violations).toContainEqual(
      expect.objectContaining({
        invariant: "charges_next_torn_write",
        reproductionPath: ["place", "charges_next"],
        message: expect.stringContaining("charges_next was answered 200, and job_not_lost does not hold") as string,
      }),
    );
    expect(status).toBe(1);
  });
});

const EXPLORATION = `
import { Action, Agent } from "seqqa";
import { queueActions } from "seqqa/adapters/queue";
export const agent = new Agent({
  name: "one",
  actions: [
    new Action({ name: "look", run: async (api) => api.get("/health") }),
    ...queueActions("jobs", { queue: "charges", run: async (api) => api.post("/jobs/charge") }),
  ],
  invariants: [],
});
`;

describe("queues that cannot be used", () => {
  const folderOf = (config: string): string => {
    const folder = folderWith({ "seqqa.yaml": config, "one.explore.ts": EXPLORATION });
    linkPackages(folder, "seqqa");
    return folder;
  };

  it.each([
    ["amqp://127.0.0.1:1/test", "cannot connect to RabbitMQ at 127.0.0.1:1 (virtual host test): Connection refused."],
    ["nats://127.0.0.1:1", "cannot connect to NATS at 127.0.0.1:1: Connection refused."],
    ["amqp://127.0.0.1:1/test?management=here", "The URL of a RabbitMQ store is not valid: its parameter `management` is not an HTTP URL."],
  ])("%s is refused in one sentence", async (url, sentence) => {
    const folder = folderOf(`systems: { jobs: { url: "${url}" } }\ntarget: { command: node server.mjs }\n`);
    const { status, stderr } = await seqqa(["run", "."], { cwd: folder });
    expect(stderr).toContain(sentence);
    expect(status).toBe(2);
  });

  it.each(["amqp://127.0.0.1/test", "nats://127.0.0.1"])(
    "%s of a target that already runs is refused: it cannot be restored",
    async (url) => {
      const folder = folderOf(`base_url: http://127.0.0.1:1\nsystems: { jobs: { url: "${url}" } }\n`);
      const { status, stderr } = await seqqa(["run", "."], { cwd: folder });
      expect(stderr).toContain("server belongs to a target that already runs.");
      expect(status).toBe(2);
    },
  );
});
