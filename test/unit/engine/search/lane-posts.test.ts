import { expect, it } from "vitest";
import { LanePosts } from "../../../../src/engine/search/lane-posts.ts";

it("counts what lanes hold until it is taken in, and wakes who waits for it", async () => {
  const posts = new LanePosts(2);
  let taken!: () => void;
  posts.add(1, new Promise((resolve) => (taken = resolve)));
  posts.add(1, Promise.resolve());
  expect([[...posts.held], posts.any]).toEqual([[0, 2], true]);
  await posts.wait();
  expect([...posts.held]).toEqual([0, 1]);
  const waiting = posts.wait();
  taken();
  await waiting;
  expect([[...posts.held], posts.any]).toEqual([[0, 0], false]);
});

it("wakes who waits for another reason", async () => {
  const posts = new LanePosts(1);
  posts.wake();
  const waiting = posts.wait();
  posts.wake();
  await waiting;
  expect(posts.any).toBe(false);
});
