import { expect, it } from "vitest";
import type { Expander } from "../../../src/engine/expander.ts";
import type { Chunk, Expansion, LaneFailure } from "../../../src/messages/lane-messages.ts";
import { WatchedExpander } from "../../../src/expanders/watched-expander.ts";

const CHUNK: Chunk = { units: [], direct: true };

it("a lane that is lost says how, before the chunks that it held besides say that they are lost with it", async () => {
  const failure = (unit: number): LaneFailure => ({ kind: "unreachable", unit, action: 0, message: "no answer" });
  const answers = [failure(0), failure(-1)].map((one) => ({ news: [], failure: one }) as unknown as Expansion);
  const inner = { lanes: 1, depth: 2, expand: () => Promise.resolve(answers.shift()) } as unknown as Expander;
  const target = { exitCode: 1, signal: null, output: ["out of luck"] };
  const endOf = (): Promise<typeof target> => new Promise((resolve) => setTimeout(() => resolve(target), 20));
  const watched = new WatchedExpander(inner, { endOf });
  const seen: unknown[] = [];
  await Promise.all([1, 2].map(() => watched.expand(0, CHUNK).then((expansion) => seen.push(expansion.failure))));
  expect(seen).toEqual([{ ...failure(0), target }, failure(-1)]);
});
