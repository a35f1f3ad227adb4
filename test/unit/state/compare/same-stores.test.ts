import { beforeAll, describe, expect, it } from "vitest";
import { loadHasher, sameStores, type Facts } from "../../../../src/state/index.ts";
import { canonicalizer, stored, table, uuids, type Rows } from "../support.ts";

beforeAll(loadHasher);

const LINKS = "*id post_id>posts.id tag position";
const posts = (...rows: Rows): ReturnType<typeof table> => table("posts", "*id title", rows);
const links = (added: Rows, removed: Rows = []): ReturnType<typeof table> => table("links", LINKS, added, removed);

/** Whether two states of one target have the same stores. */
function same(before: Facts, after: Facts): boolean {
  const canonical = canonicalizer();
  canonical.root(stored());
  return sameStores(canonical.rows(before.systems), canonical.rows(after.systems));
}

const post = posts([1, "a"]);

describe("stores are the same", () => {
  it.each<[string, Facts, Facts]>([
    ["in any order of rows", stored(posts([1, "a"], [2, "b"])), stored(posts([2, "b"], [1, "a"]))],
    [
      "where rows were deleted and inserted again under new integers",
      stored(
        post,
        links([
          [4, 1, "red", 0],
          [5, 1, "blue", 1],
        ]),
      ),
      stored(
        post,
        links([
          [9, 1, "blue", 1],
          [8, 1, "red", 0],
        ]),
      ),
    ],
    [
      "where what refers to them was made again, too",
      stored(post, links([[4, 1, "red", 0]])),
      stored(posts([7, "a"]), links([[8, 7, "red", 0]])),
    ],
    ["where a row of the root was", stored(), stored(links([[9, 3, "red", 0]], [[2, 3, "red", 0]]))],
  ])("%s", (_what, before, after) => {
    expect([same(before, after), same(after, before)]).toEqual([true, true]);
  });

  it("where generated texts are others, wherever they stand", () => {
    const [old, other] = uuids(2);
    const state = (id: string): Facts =>
      stored(table("posts", "*id title", [[id, "a"]]), table("log", "*n data", [[1, `{"made":"${id}"}`]]));
    expect(same(state(old!), state(other!))).toBe(true);
  });

  it("where times near the run are others", () => {
    const at = (seconds: number): Facts =>
      stored(table("posts", "*id updated_at", [[1, new Date(Date.UTC(2025, 10, 21, 12, 0, seconds)).toISOString()]]));
    expect(same(at(1), at(2))).toBe(true);
  });
});

describe("stores differ", () => {
  it.each<[string, Facts, Facts]>([
    ["in a value", stored(post), stored(posts([1, "b"]))],
    ["in a row more", stored(post), stored(posts([1, "a"], [2, "a"]))],
    ["in a row less", stored(links([[4, 1, "red", 0]])), stored()],
    [
      "in a reference to another row that was there",
      stored(posts([1, "a"], [2, "a"]), links([[4, 1, "red", 0]])),
      stored(posts([1, "a"], [2, "a"]), links([[8, 2, "red", 0]])),
    ],
    // What the root has is not in the rows: the references are others all the same.
    ["in a reference to another row of the root", stored(links([[4, 1, "red", 0]])), stored(links([[8, 2, "red", 0]]))],
    [
      "in which row refers to which",
      stored(posts([1, "a"], [2, "b"]), links([[4, 1, "red", 0]])),
      stored(posts([8, "a"], [9, "b"]), links([[7, 9, "red", 0]])),
    ],
    ["in a number that is no key", stored(links([[4, 1, "red", 0]])), stored(links([[4, 1, "red", 1]]))],
  ])("%s", (_what, before, after) => {
    expect([same(before, after), same(after, before)]).toEqual([false, false]);
  });

  it("where a generated text stands for another one that is still there", () => {
    const [one, other] = uuids(2);
    const users: Rows = [
      [one!, "ann"],
      [other!, "bob"],
    ];
    const state = (owner: string): Facts => stored(table("users", "*id name", users), table("posts", "*id owner", [[1, owner]]));
    expect(same(state(one!), state(other!))).toBe(false);
  });

  it("in a hash or in encoded data, which are no keys", () => {
    const hashed = (hash: string): Facts => stored(table("users", "*id name password", [[1, "ann", hash]]));
    expect(same(hashed("3e23e8160039594a33894f6564e1b134"), hashed("2e7d2c03a9507ae265ecf5b5356885a5"))).toBe(false);
    expect(same(hashed("eyJpdGVtIjoxLCJjb3VudCI6Mn0="), hashed("eyJpdGVtIjo3LCJjb3VudCI6OX0="))).toBe(false);
  });

  it("soon, where a great many rows are alike", () => {
    const many = (from: number): Rows => Array.from({ length: 300 }, (_, i) => [from + i, "a"]);
    expect(same(stored(posts(...many(1))), stored(posts(...many(1000))))).toBe(true);
    const crossed = (from: number, shift: number): Facts =>
      stored(posts(...many(from)), links(Array.from({ length: 300 }, (_, i) => [from + i, from + ((i * 7 + shift) % 299), "red", 0])));
    expect(typeof same(crossed(1, 0), crossed(1000, 1))).toBe("boolean");
  });
});
