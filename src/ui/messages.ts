import type { RecordedExchange } from "../model/results/result.ts";
import type { WalkedStep, WalkJudged, WalkPlace } from "../model/results/walked.ts";

/** The messages between the server of `seqqa ui` and its page. All messages are plain data without secrets. */

/** A state of the graph. `node` is the number of the state in the exploration; 0 is the root state. */
export interface UiNode {
  readonly node: number;
  /** The name of the state, as used in commands; empty if it is unknown. */
  readonly name: string;
  /** The number of the node from which the state was first reached; -1 for the root state. */
  readonly parent: number;
  /** The index of the action that first led to the state; -1 for the root state. */
  readonly action: number;
  readonly depth: number;
  /** The lines that describe the state; `null` if the run did not store them. */
  readonly lines: readonly string[] | null;
}

export interface UiEdge {
  readonly from: number;
  readonly action: number;
  /** The number of the node that the edge leads to; -1 if the step led to no state (an error, a crash, a timeout). */
  readonly to: number;
  readonly status: number;
  /** `true` if the step breaks a rule. */
  readonly found: boolean;
}

/** The path to a state, from which the page opens a lane or makes the source text of a test. */
export interface UiGoal {
  readonly path: readonly string[];
  /** The paths that seed the random test data of the steps; absent if each step has the data of its own path. */
  readonly draws?: readonly (readonly string[])[] | undefined;
}

/** An error because of which a file has no result. */
export interface UiFailure {
  readonly file: string;
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
}

export interface UiFinding {
  readonly id: string;
  readonly name: string;
  readonly severity: string;
  readonly message: string;
  readonly path: readonly string[];
  /** The calls of a race, which are sent at the same time at the end of the path. Absent for other findings. */
  readonly calls?: readonly string[] | undefined;
  /** Absent until the exploration has ended. */
  readonly goal?: UiGoal | undefined;
  /** The finding as HTML, in the same form as in the report. Absent until the exploration has ended. */
  readonly html?: string | undefined;
}

export interface UiExploration {
  readonly name: string;
  readonly file: string;
  readonly actions: readonly string[];
  readonly nodes: readonly UiNode[];
  readonly edges: readonly UiEdge[];
  /** The total numbers of states and transitions. Larger than the lengths of `nodes` and `edges` if the page shows only a part of the graph. */
  readonly states: number;
  readonly transitions: number;
  readonly findings: readonly UiFinding[];
  readonly notes: readonly string[];
  /** The verdict; `undefined` while the exploration runs. */
  readonly verdict: string | undefined;
  /** The requests and logins before the root state, as HTML. Absent until the exploration has ended. */
  readonly setup?: string | undefined;
  /** The errors, divergences and reasons why the result is unverified, as HTML. Absent until the exploration has ended. */
  readonly problems?: string | undefined;
}

export interface UiLane {
  /** The share of time in which the lane executed steps, from 0 to 1. */
  readonly use: number;
  readonly steps: number;
  readonly rebuilds: number;
}

export type UiEvent =
  /** All data of the run so far. This event is the first on each connection. */
  | {
      readonly kind: "all";
      readonly run?: string | undefined;
      /** The exit status; absent while the run is in progress. */ readonly exitStatus?: number | undefined;
      readonly explorations: readonly UiExploration[];
      readonly failures: readonly UiFailure[];
    }
  | {
      readonly kind: "began";
      readonly exploration: number;
      readonly name: string;
      readonly file: string;
      readonly actions: readonly string[];
    }
  /** The exploration starts again, so the page must remove all data of the exploration. */
  | { readonly kind: "again"; readonly exploration: number }
  | {
      readonly kind: "grew";
      readonly exploration: number;
      readonly nodes: readonly UiNode[];
      readonly edges: readonly UiEdge[];
      readonly states: number;
      readonly transitions: number;
    }
  | { readonly kind: "progress"; readonly exploration: number; readonly text: string; readonly lanes: readonly UiLane[] }
  | { readonly kind: "finding"; readonly exploration: number; readonly finding: UiFinding }
  | { readonly kind: "note"; readonly exploration: number; readonly text: string }
  | {
      readonly kind: "ended";
      readonly exploration: number;
      readonly verdict: string;
      readonly setup: string;
      readonly problems: string;
      readonly findings: readonly UiFinding[];
    }
  | { readonly kind: "over"; readonly run: string; readonly exitStatus: number; readonly failures: readonly UiFailure[] };

/** The answer to `GET /api/state?exploration=0&node=3`. */
export interface UiState {
  /** The names of the actions that lead from the root to the state. */
  readonly path: readonly string[];
  readonly lines: readonly string[] | null;
  /** The requests of the last step of the path, with their answers. */
  readonly exchanges: readonly RecordedExchange[];
}

/** The answer to `POST /api/text` with `{ exploration, path, draws, as }`, where `as` is `test` or `journey`. */
export interface UiText {
  readonly text: string;
  /** The suggested file name for a download. */
  readonly file: string;
}

/** The answer to `POST /api/lane` with `{ exploration, path, draws }`, and to `POST /api/lane/step` with `{ action }`. */
export interface UiLaneState {
  readonly exploration: number;
  /** The URLs and files of the target and the stores that the lane uses. */
  readonly uses: readonly string[];
  /** The names of the actions that were executed on the lane since the root state. */
  readonly path: readonly string[];
  readonly place: WalkPlace;
  readonly actions: readonly string[];
  /** The last step; absent if the lane is in the root state. */
  readonly step?: WalkedStep | undefined;
  /** The results of the invariants in the root state; absent if the lane is in another state. */
  readonly root?: WalkJudged | undefined;
}
