import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, expect, it } from "vitest";
import { VisitedSet } from "../../../../src/engine/graph/visited-set.ts";
import { KnownReader, KnownStates } from "../../../../src/lane-pools/cluster/known-states.ts";
import { knownKey, type QueueLink } from "../../../../src/lane-pools/cluster/queue-link.ts";
import { MessageSigner } from "../../../../src/lane-pools/cluster/message-signer.ts";
import { wordsText } from "../../../../src/lane-pools/cluster/shape.ts";
import { link } from "../../../support/in-process-cluster.ts";

let own: QueueLink;
let exploration: string;
beforeEach(async () => {
  own = await link();
  exploration = `${randomBytes(16).toString("hex")}-0`;
});
afterEach(async () => {
  await own.redis.del(knownKey(exploration));
  own.close();
});

const statesOf = (set: VisitedSet): readonly (readonly number[])[] => Array.from({ length: set.size }, (_, at) => [set.lo(at), set.hi(at)]);

it("tells what was committed since the last time, in blocks, and takes it in once", async () => {
  const [committed, known] = [new VisitedSet(), new VisitedSet()];
  const seal = new MessageSigner("of the tests");
  const teller = new KnownStates(own, seal, exploration);
  const reader = new KnownReader(own, seal, exploration, known);
  for (let at = 1; at <= 9000; at++) committed.add(at, -at);
  await teller.tell(committed);
  await reader.read();
  expect(statesOf(known)).toEqual(statesOf(committed));
  committed.add(-1, 7);
  await teller.tell(committed);
  await teller.tell(committed);
  await reader.read();
  await reader.read();
  expect(statesOf(known)).toEqual(statesOf(committed));
  expect(await own.redis.llen(knownKey(exploration))).toBe(3);
  expect(await own.redis.ttl(knownKey(exploration))).toBeGreaterThan(0);
});

it("takes nothing that was not sealed by the run, for this exploration; and what comes after it all the same", async () => {
  const known = new VisitedSet();
  const seal = new MessageSigner("of the tests");
  const key = knownKey(exploration);
  const body = JSON.stringify(wordsText(Int32Array.from([1, 2])));
  const strange = new MessageSigner("another").close({ kind: "known", run: exploration, id: "0" }, body);
  const earlier = seal.close({ kind: "known", run: `${"0".repeat(32)}-0`, id: "0" }, body);
  const another = seal.close({ kind: "chunk", run: exploration, id: "0" }, body);
  await own.redis.rpush(key, strange, earlier, another, "", "x".repeat(100_000));
  const reader = new KnownReader(own, seal, exploration, known);
  await reader.read();
  expect(known.size).toBe(0);
  await own.redis.rpush(key, seal.close({ kind: "known", run: exploration, id: "0" }, body));
  await reader.read();
  expect(statesOf(known)).toEqual([[1, 2]]);
});
