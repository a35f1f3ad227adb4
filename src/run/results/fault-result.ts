import { faultId } from "../../engine/findings/fault-id.ts";
import type { ConfirmedFault, UntriedFault } from "../../faults/index.ts";
import type { RecordedStep, Violation } from "../../model/results/result.ts";
import { violationText } from "../../reports/index.ts";
import type { ShownUrls } from "../prepare/shown-urls.ts";

interface FaultParts {
  readonly name: string;
  readonly actions: readonly string[];
  readonly urls: ShownUrls;
  /** Returns the source line where the rule is declared, or else where the action with this index is declared. */
  readonly declaredAt: (rule: string, action: number | undefined) => string | undefined;
}

/** Returns the name of the rule that a fault breaks, e.g. `refund_order_torn_write`. */
export function faultRule(action: string, verdict: string): string {
  return `${action}_${verdict}`;
}

/** Returns a sentence for each problem that a fault showed, and that could be neither confirmed nor refuted. */
export function untriedFaults(untried: readonly UntriedFault[], { actions }: Pick<FaultParts, "actions">): readonly string[] {
  return untried
    .map(({ request: { path, action }, hit, reason }) => {
      const names = [...path, action].map((index) => actions[index]!).join(" -> ");
      return `A fault showed ${faultRule(actions[action]!, hit.verdict)} (${names}), but seqqa could not try to confirm it, because ${reason}.`;
    })
    .toSorted();
}

/** Returns the violation for a confirmed fault: the steps before the call, and the call with the answer that it got during the fault. */
export function faultViolationOf({ request, hit, recording, count, isMinimal, foundPath }: ConfirmedFault, parts: FaultParts): Violation {
  const { actions, urls } = parts;
  const action = actions[request.action]!;
  const names = (path: readonly number[]): readonly string[] => [...path, request.action].map((index) => actions[index]!);
  const invariant = faultRule(action, hit.verdict);
  const exchanges = hit.exchanges.map((exchange) => urls.exchange(exchange));
  const last = exchanges.at(-1);
  const call: RecordedStep = { action, status: hit.status === 0 ? null : hit.status, requests: exchanges, changes: hit.changes };
  const violation = {
    id: faultId(parts.name, invariant),
    invariant,
    severity: hit.severity,
    message: urls.text(hit.message),
    where: parts.declaredAt(invariant, request.action),
    reproductionPath: names(request.path),
    request: last?.request,
    response: last?.response,
    steps: [...recording.steps.map((step) => ({ ...step, requests: step.requests.map((one) => urls.exchange(one)) })), call],
    minimality: isMinimal ? ("one_minimal" as const) : ("as_found" as const),
    shrunkFrom: request.path.length < foundPath.length ? names(foundPath) : undefined,
    draws: recording.drew ? request.draws : undefined,
    confirmed: true,
    count,
    state: null,
    fault: hit.point,
    target: hit.target,
  };
  return { ...violation, toString: () => violationText(violation) };
}
