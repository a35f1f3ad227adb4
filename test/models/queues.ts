import type { Model, Outcome } from "./model.ts";

/** A job of an order, how often a worker had it, and how often the worker failed. */
type Job = readonly [order: number, taken: number, failures: number];

export interface Queues {
  /** The sum that each order was charged. */
  readonly charged: readonly number[];
  readonly held: boolean;
  /** The next one first. */
  readonly waiting: readonly Job[];
  readonly failed: readonly Job[];
}

/**
 * The orders that jobs charge. RabbitMQ and NATS keep a job that failed in its place, and say only that it was delivered before. BullMQ counts, puts the
 * job behind the others, and gives up after two failures.
 */
export function queues(broker: "bullmq" | "rabbitmq" | "nats", bugs: readonly ("twice" | "lost")[] = []): Model<Queues> {
  const counts = broker === "bullmq";
  const isFresh = ([, taken]: Job): boolean => taken === 0;
  const again = ([order, taken, failures]: Job, failed: number): Job => (counts ? [order, taken + 1, failures + failed] : [order, 1, 0]);
  const retried = (state: Queues, [job, ...others]: readonly Job[]): Queues => {
    const next = again(job!, 1);
    if (!counts) return { ...state, waiting: [next, ...others] };
    return next[2] < 2
      ? { ...state, waiting: [...others, next] }
      : { ...state, waiting: others, failed: [...state.failed, next].toSorted(([a], [b]) => a - b) };
  };
  const charge = (charged: readonly number[], order: number): readonly number[] =>
    charged.map((sum, index) => (index === order && (sum === 0 || bugs.includes("twice")) ? sum + 10 : sum));
  return {
    initial: { charged: [], held: false, waiting: [], failed: [] },
    actions: ["place", "hold", "release", "charges_next", "charges_twice", "charges_lost"],
    step: (state, action): Outcome<Queues> | null => {
      const { charged, held, waiting } = state;
      if (action === "place") {
        if (charged.length === 2) return { status: 409, state };
        return { status: 201, state: { ...state, charged: [...charged, 0], waiting: [...waiting, [charged.length, 0, 0]] } };
      }
      if (action === "hold" || action === "release") {
        const wanted = action === "hold";
        return held === wanted ? { status: 409, state } : { status: 200, state: { ...state, held: wanted } };
      }
      const [job, ...others] = waiting;
      if (job === undefined || (action === "charges_lost" && !isFresh(job))) return null;
      const isRefused = held && !bugs.includes("lost");
      const status = isRefused ? 409 : 200;
      const times = action === "charges_twice" ? [0, 1] : [0];
      const after = held ? charged : times.reduce((sums) => charge(sums, job[0]), charged);
      if (action === "charges_lost") return { status, state: { ...state, charged: after, waiting: [again(job, 0), ...others] } };
      return { status, state: isRefused ? retried(state, waiting) : { ...state, charged: after, waiting: others } };
    },
    broken: ({ charged, waiting, failed }) => [
      ...(charged.some((sum) => sum > 10) ? ["charged_once"] : []),
      ...(charged.some((sum, index) => sum === 0 && ![...waiting, ...failed].some(([order]) => order === index)) ? ["job_not_lost"] : []),
    ],
  };
}
