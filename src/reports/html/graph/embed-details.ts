import type { RecordedExchange } from "../../../model/results/result.ts";
import { cut, printable, printableLines } from "../../console/text/printable.ts";
import type { GraphData } from "../../document/report-data.ts";
import type { EmbeddedExchange } from "./embedded.ts";
import { shortened } from "../text/safe-text.ts";
import type { Sample } from "./sample-graph.ts";
import type { StringTable } from "./string-table.ts";

/** `LINE`, `HEAD`, `BODY`: the largest numbers of characters in a line of a state, in the head of a message, and in a body. */
const LINE = 400;
const HEAD = 2_000;
const BODY = 2_000;
/** The approximate number of bytes in the file for a reference to a text in the string table. */
const PLACE = 8;

/**
 * The states of the embedded nodes and the requests of the embedded edges, in the same order; `null` for an entry that does not fit into the file.
 */
export interface EmbeddedDetails {
  readonly states: readonly (readonly number[] | null)[];
  readonly exchanges: readonly (readonly EmbeddedExchange[] | null)[];
  readonly withoutState: number;
  readonly withoutExchanges: number;
}

/** Returns the states and requests that fit into `budget` bytes. If not all of them fit, the states and requests nearest to findings are kept. */
export function embedDetails({ nodes, edges }: GraphData, sample: Sample, strings: StringTable, budget: number): EmbeddedDetails {
  const states: (readonly number[] | null)[] = sample.nodes.map(() => null);
  const exchanges: (readonly EmbeddedExchange[] | null)[] = sample.edges.map(() => null);
  const end = strings.bytes + budget - (states.length + exchanges.length) * 5;
  let places = 0;
  const full = (): boolean => strings.bytes + places * PLACE > end;
  const distanceOf = (node: number): number => (sample.distance[node] === -1 ? Infinity : sample.distance[node]!);
  const placeOf = new Map(nodes.id.map((id, place) => [id, place]));
  const order = [
    ...sample.nodes.map((place, at) => ({ at, distance: distanceOf(place), edge: false })),
    ...sample.edges.map((place, at) => ({ at, distance: distanceOf(placeOf.get(edges.from[place]!)!), edge: true })),
  ].sort((a, b) => a.distance - b.distance);
  for (const { at, edge } of order) {
    if (full()) break;
    if (edge) {
      const recorded = edges.exchanges[sample.edges[at]!];
      if (recorded === null || recorded === undefined) continue;
      exchanges[at] = recorded.map((one) => embedExchange(one, strings));
      places += recorded.length * 4;
    } else {
      const lines = nodes.state[sample.nodes[at]!];
      if (lines === null || lines === undefined) continue;
      states[at] = lines.map((line) => strings.place(printable(cut(line, LINE))));
      places += lines.length;
    }
  }
  const without = (list: readonly unknown[]): number => list.filter((one) => one === null).length;
  return { states, exchanges, withoutState: without(states), withoutExchanges: without(exchanges) };
}

function embedExchange({ request, response, error }: RecordedExchange, strings: StringTable): EmbeddedExchange {
  const headed = (first: string, headers: Readonly<Record<string, string>>): number => {
    const lines = [first, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)];
    return strings.place(shortened(lines.map(printable).join("\n"), HEAD));
  };
  const body = (text: string | undefined): number =>
    text === undefined || text === "" ? -1 : strings.place(printableLines(shortened(text, BODY)));
  return [
    headed(`${request.method} ${request.url}`.trim(), request.headers),
    body(request.body),
    response === undefined ? strings.place(printable(error ?? "There was no answer.")) : headed(String(response.status), response.headers),
    response === undefined ? -1 : body(response.body),
  ];
}
