import type { RecordedExchange } from "../model/results/result.ts";
import type { WalkedStep, WalkJudged, WalkPlace } from "../model/results/walked.ts";

/** The messages between the server and its page: plain data, without secrets. */

/** A state that was found. Its number is its place among all states of its exploration; 0 is the root. */
export interface UiNode {
  readonly node: number;
  /** Its name in commands; empty: unknown. */
  readonly name: string;
  /** -1 for the root. */
  readonly parent: number;
  /** Index of the action that led to it; -1 for the root. */
  readonly action: number;
  readonly depth: number;
  /** The state in lines; `null`: not kept. */
  readonly lines: readonly string[] | null;
}

export interface UiEdge {
  readonly from: number;
  /** Index of the action. */
  readonly action: number;
  /** -1: the outcome has no state. */
  readonly to: number;
  readonly status: number;
  /** `true`: it breaks a rule. */
  readonly found: boolean;
}

export interface UiFinding {
  readonly id: string;
  readonly name: string;
  readonly severity: string;
  readonly message: string;
  readonly path: readonly string[];
  /** The calls of a race, which are sent at the end of the path; absent for other findings. */
  readonly calls?: readonly string[] | undefined;
  /** The finding as HTML, as the report has it; absent until the exploration has ended. */
  readonly html?: string | undefined;
}

/** An exploration, as far as it is known. */
export interface UiExploration {
  readonly name: string;
  readonly file: string;
  readonly actions: readonly string[];
  readonly nodes: readonly UiNode[];
  readonly edges: readonly UiEdge[];
  /** The numbers of all states and transitions. More than in the lists: the rest is not shown. */
  readonly states: number;
  readonly transitions: number;
  readonly findings: readonly UiFinding[];
  readonly notes: readonly string[];
  /** The verdict; `undefined` while it runs. */
  readonly verdict: string | undefined;
  /** How the root state was reached, as HTML, for the findings; absent until the exploration has ended. */
  readonly setup?: string | undefined;
}

export interface UiLane {
  /** Share of the time in which it was busy, 0 to 1. */
  readonly use: number;
  readonly steps: number;
  readonly rebuilds: number;
}

/** An event that the page hears, in order. */
export type UiEvent =
  /** All that is known: the first event of each connection. */
  | {
      readonly kind: "all";
      readonly run?: string | undefined;
      /** Absent while it runs. */ readonly exitStatus?: number | undefined;
      readonly explorations: readonly UiExploration[];
    }
  | {
      readonly kind: "began";
      readonly exploration: number;
      readonly name: string;
      readonly file: string;
      readonly actions: readonly string[];
    }
  /** The search begins again: all that was found is forgotten. */
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
      readonly findings: readonly UiFinding[];
    }
  | { readonly kind: "over"; readonly run: string; readonly exitStatus: number };

/** `GET /api/state?exploration=0&node=3` */
export interface UiState {
  /** The actions that lead to it from the root. */
  readonly path: readonly string[];
  readonly lines: readonly string[] | null;
  /** The requests of the last step of the path, with their answers. */
  readonly exchanges: readonly RecordedExchange[];
}

/** `GET /api/text?exploration=0&as=test&action=create&action=pay` */
export interface UiText {
  readonly text: string;
  /** A name for the file. */
  readonly file: string;
}

/** `POST /api/lane` with `{ exploration, path }`, and `POST /api/lane/step` with `{ action }`. */
export interface UiLaneState {
  readonly exploration: number;
  /** The URLs and files of the lane. */
  readonly uses: readonly string[];
  /** All actions executed since the root. */
  readonly path: readonly string[];
  readonly place: WalkPlace;
  readonly actions: readonly string[];
  /** The last step; absent at the root. */
  readonly step?: WalkedStep | undefined;
  /** The rules at the root; absent elsewhere. */
  readonly root?: WalkJudged | undefined;
}
