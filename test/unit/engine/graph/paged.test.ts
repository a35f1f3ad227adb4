import { expect, it } from "vitest";
import { PAGE, Paged } from "../../../../src/engine/graph/paged.ts";

it("keeps every value at its place, in its first page and in later ones", () => {
  const list = new Paged(Int32Array);
  const count = 2 * PAGE + 10;
  for (let index = 0; index < count; index++) list.set(index, -index);
  let wrong = 0;
  for (let index = 0; index < count; index++) if (list.at(index) !== -index) wrong++;
  expect(wrong).toBe(0);
  expect(list.slice(count).every((value, index) => value === -index)).toBe(true);
  expect(list.slice(3)).toEqual(Int32Array.of(0, -1, -2));
});

it("takes a value far beyond its end; what lies between is 0", () => {
  const list = new Paged(Uint8Array);
  list.set(5, 1);
  list.set(3 * PAGE + 1, 2);
  expect([list.at(5), list.at(6), list.at(PAGE), list.at(3 * PAGE), list.at(3 * PAGE + 1)]).toEqual([1, 0, 0, 0, 2]);
});

it("needs little for a few values, and then a page for every page of them", () => {
  const list = new Paged(Uint16Array);
  list.set(10, 1);
  expect(list.bytes).toBeLessThan(10_000);
  list.set(PAGE, 1);
  expect(list.bytes).toBe(2 * PAGE * 2);
});

it("gives copies that later values leave as they are", () => {
  const list = new Paged(Int32Array);
  list.set(0, 1);
  const before = list.slice(1);
  list.set(0, 2);
  expect([...before]).toEqual([1]);
});
