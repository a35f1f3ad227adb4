import type { Candidate, Place } from "./candidate.ts";
import type { Explored } from "./explored.ts";

/** Suggests rules that fit every API: no server errors, and no changes by rejected calls. */
export function answers({ of: { steps, actions } }: Explored): readonly Candidate[] {
  const place = ({ from, action, status }: (typeof steps)[number]): Place => ({
    state: from,
    action,
    what: `${actions[action]} was answered ${status}`,
  });
  const answered = steps.filter(({ status }) => status > 0);
  const refused = answered.filter(({ status }) => status >= 400 && status < 500);
  const conflict = refused.find(({ from, to }) => from === to);
  return [
    {
      rule: "noServerErrors",
      code: "noServerErrors()",
      name: "no_server_errors",
      columns: [],
      likelihood: 0.85,
      evidence: `${answered.length} answers`,
      judged: answered.length,
      broken: answered.filter(({ status }) => status >= 500).map(place),
      nearest: undefined,
    },
    {
      rule: "rejectedMeansUnchanged",
      code: "rejectedMeansUnchanged()",
      name: "rejected_means_unchanged",
      columns: [],
      likelihood: 0.86,
      evidence: `${refused.length} refused calls`,
      judged: refused.length,
      broken: refused.filter(({ from, to }) => from !== to).map(place),
      nearest: conflict === undefined ? undefined : place(conflict),
    },
  ];
}
