import type { GraphLists } from "../../document/graph-lists.ts";

/**
 * The JSON data that a report contains for its script. Texts are replaced by their indexes in `strings`, which contains each text once. All data is
 * redacted.
 */
export interface Embedded {
  readonly strings: readonly string[];
  readonly graphs: readonly EmbeddedGraph[];
  /** The command-line flags with which commands find the run; see `commandFlags` of the document. */
  readonly flags?: string | undefined;
}

/** Quoted and plain words of a POSIX shell, as `shellWord` writes them. */
const WORDS = /^(?:[\w@%+=:,./ -]|'[^']*'|\\')*$/;

/**
 * Adds flags to a command. Leaves the flags out if a shell would not treat all of them as plain words, because the flags could then execute other
 * commands.
 */
export function withFlags(command: string, flags: string | undefined): string {
  return flags === undefined || !WORDS.test(flags) ? command : `${command} ${flags}`;
}

/**
 * A graph, or the part of it that the report contains. Nodes and edges are identified by their indexes in the lists, and lines of states by their
 * indexes in `strings`.
 */
export interface EmbeddedGraph extends GraphLists<number, EmbeddedExchange> {
  readonly name: string;
  /** The number of nodes whose states were left out to limit the size of the file. */
  readonly withoutState: number;
  readonly withoutExchanges: number;
  readonly findings: readonly EmbeddedFinding[];
}

export interface EmbeddedFinding {
  readonly id: string;
  readonly severity: string;
  /** The name of the broken rule; for a race, the names of its calls. */
  readonly invariant: string;
  /** The indexes of the nodes on the path of the finding, as far as the report contains them. */
  readonly nodes: readonly number[];
  readonly edges: readonly number[];
}

/** A request and its response. Each entry is an index into `strings`; a missing body is -1. Headers are included, times are not. */
export type EmbeddedExchange = readonly [request: number, requestBody: number, response: number, responseBody: number];
