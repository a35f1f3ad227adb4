/**
 * The reasons why a race that a trial showed could be neither confirmed nor refuted, as clauses. The result of a run with such a race is unverified.
 */
export const NOT_TRIED_AGAIN: Readonly<Record<string, string>> = {
  not_there: "its path led to another state on the rebuilt lane",
  order_fails: "one order of its calls could not be executed on the rebuilt lane",
  one_connection: "the rebuilt target served one connection at a time",
  control_overlaps: "its calls still overlapped when they were sent with a delay between them",
  no_trial: "its calls did not overlap again, or no longer made the write that seqqa held",
  lane_lost: "the target or its lane was lost",
  not_repeated: "no trial on the rebuilt lane broke the rule again",
  max_time: "the time for races (exploration.races.max_time) ran out",
  interrupted: "the run was interrupted",
};
