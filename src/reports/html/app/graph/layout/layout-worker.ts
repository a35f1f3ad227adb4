import { forceLink, forceManyBody, forceSimulation, forceX, forceY, type SimulationNodeDatum } from "d3-force";
import { SPACING } from "./first-layout.ts";

/** The page's message to the worker: the positions of nodes, the edges, and the limits of the layout. */
export interface LayoutTask {
  readonly positions: Float32Array;
  /** The two nodes of each edge: from and to of the first edge, from and to of the second edge, and so on. */
  readonly edges: Int32Array;
  /** The time limit of the layout, in milliseconds. */
  readonly time: number;
  /** How far nodes may move at the beginning: 0 is not at all, 1 is the largest distance. */
  readonly heat: number;
}

/** The worker's message to the page: the current positions of all nodes. */
export interface LayoutStep {
  readonly positions: Float32Array;
  readonly done: boolean;
}

/** Milliseconds between two messages from the worker to the page. */
const EVERY = 400;

interface Scope {
  addEventListener(kind: "message", listener: (event: { readonly data: LayoutTask }) => void): void;
  postMessage(message: LayoutStep, transfer: readonly ArrayBuffer[]): void;
}

/** Answers the page's messages in the worker: moves nodes until they are at rest or the time is up. */
export function answerLayout(): void {
  const scope = globalThis as unknown as Scope;
  scope.addEventListener("message", ({ data }) => {
    for (const step of layout(data)) scope.postMessage(step, [step.positions.buffer as ArrayBuffer]);
  });
}

function* layout({ positions, edges, time, heat }: LayoutTask): Generator<LayoutStep> {
  const nodes: SimulationNodeDatum[] = Array.from({ length: positions.length / 2 }, (_, node) => ({
    x: positions[node * 2]!,
    y: positions[node * 2 + 1]!,
  }));
  const links = Array.from({ length: edges.length / 2 }, (_, edge) => ({ source: edges[edge * 2]!, target: edges[edge * 2 + 1]! })).filter(
    ({ source, target }) => source !== target,
  );
  const large = nodes.length > 1000;
  const simulation = forceSimulation(nodes)
    .force(
      "charge",
      forceManyBody()
        .strength(-60)
        .theta(large ? 1.1 : 0.9)
        .distanceMax(large ? 1500 : Infinity),
    )
    .force("link", forceLink(links).distance(SPACING).iterations(1))
    .force("x", forceX(0).strength(0.02))
    .force("y", forceY(0).strength(0.02))
    .alpha(heat)
    .alphaDecay(large ? 0.03 : 0.0228)
    .stop();
  const begun = performance.now();
  let told = begun;
  const snapshot = (done: boolean): LayoutStep => {
    const now = new Float32Array(positions.length);
    nodes.forEach(({ x, y }, node) => {
      now[node * 2] = x ?? 0;
      now[node * 2 + 1] = y ?? 0;
    });
    return { positions: now, done };
  };
  while (simulation.alpha() > simulation.alphaMin() && performance.now() - begun < time) {
    simulation.tick();
    if (performance.now() - told < EVERY) continue;
    told = performance.now();
    yield snapshot(false);
  }
  yield snapshot(true);
}
