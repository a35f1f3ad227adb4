import type { ExplorationEvent } from "../events.ts";
import type { ExplorerOptions } from "../search/explorer-options.ts";
import { findingId } from "./finding-id.ts";
import type { FoundViolation } from "./finding-log.ts";

export function foundEvent({ name, actions }: ExplorerOptions, found: FoundViolation, steps: number): ExplorationEvent {
  const { invariant, severity } = found.finding;
  const path = found.path.map((action) => actions[action]!);
  return { kind: "violation", id: findingId(name, found), invariant, severity, path, steps };
}
