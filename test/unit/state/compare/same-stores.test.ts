import { beforeAll, describe, expect, it } from "vitest";
import { loadHasher, overwrites, sameStores, type Facts } from "../../../../src/state/index.ts";
import type { StoredValue } from "../../../../src/model/stores/store-adapter.ts";
import { Generated, JsonText } from "../../../../src/state/values/named.ts";
import { canonicalizer, facts, hashes, stored, table, uuids, type Options, type Rows } from "../support.ts";

beforeAll(loadHasher);

const LINKS = "*id post_id>posts.id tag position";
const posts = (...rows: Rows): ReturnType<typeof table> => table("posts", "*id title", rows);
const links = (added: Rows, removed: Rows = []): ReturnType<typeof table> => table("links", LINKS, added, removed);

/** Whether two states of one target have the same stores. */
function same(before: Facts, after: Facts): boolean {
  const canonical = canonicalizer();
  canonical.root(stored());
  return sameStores(canonical.rows(before), canonical.rows(after));
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

describe("the end of a session is moved ahead", () => {
  const end = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();
  const session = (days: number, columns = "*sid user ends", name = "sessions"): ReturnType<typeof table> =>
    table(name, columns, [["s1", "ann", end(days)]]);
  const data = (days: number): string => JSON.stringify({ cookie: { expires: end(days), path: "/" }, user: 1 });
  const redis = (ends: unknown, name = "sess:abc"): Facts => facts({ systems: { db: { kind: "value", value: { [name]: { ends } } } } });
  const SID = "OvrlE3Lqh7l910wPaEvMVkfdNBMBhyPm";
  /** A state in which a client has the session `id` in a cookie, as express-session signs it. */
  const withCookie = (state: Facts, id = SID): Facts => ({
    ...state,
    clients: { "": [{ cookies: [{ name: "connect.sid", value: `s:${id}.c2lnbmF0dXJl` }] }] },
  });
  const row = (days: number, id: unknown = SID): Facts => stored(table("logins", "*sid ends", [[id as string, end(days)]]));
  const generated = new Generated("g:1", "x", undefined);
  const hashKey = (days: number, key: unknown): Facts => facts({ systems: { db: hashes([[key as string, "ends", end(days)]]) } });
  const UUID = "0b9e6f3a-5c1d-4e2f-8a7b-6c5d4e3f2a1b";
  /** A cookie of which experiments showed that it is generated as a whole, as @fastify/session signs it. */
  const SIGNED = new Generated(`${SID}.SlehgLod5GpSy2YukKN3M9CE4d4zh0PRW`, "t", undefined);
  const touched = (cookie: object): string => JSON.stringify({ cookie, user: 1 });

  it.each<[string, Facts, Facts, boolean]>([
    ["in a table of sessions", stored(session(30)), stored(session(31)), true],
    ["in a session of the root state", stored(), stored(table("sessions", "*sid ends", [["s", end(31)]], [["s", end(30)]])), true],
    [
      "as a number of seconds",
      stored(table("session", "*sid expire", [["s", Math.floor(Date.now() / 1_000) + 9e5]])),
      stored(table("session", "*sid expire", [["s", Math.floor(Date.now() / 1_000) + 8e5]])),
      true,
    ],
    ["in JSON", stored(table("session", "*sid sess", [["s", data(30)]])), stored(table("session", "*sid sess", [["s", data(31)]])), true],
    [
      "in a column of another table",
      stored(session(30, "*sid user session_ends", "users")),
      stored(session(31, "*sid user session_ends", "users")),
      true,
    ],
    ["in a store without tables", redis(end(30)), redis(end(31)), true],
    ["in a key of Redis", hashKey(30, `sess:${SID}`), hashKey(31, `sess:${SID}`), true],
    ["in a key that is a cookie", withCookie(hashKey(30, `auth:${SID}`)), withCookie(hashKey(31, `auth:${SID}`)), true],
    ["in a store without tables, at a cookie", withCookie(redis(end(30), `a:${SID}`)), withCookie(redis(end(31), `a:${SID}`)), true],
    ["in a row whose key is a cookie", withCookie(row(30)), withCookie(row(31)), true],
    [
      "in a row whose key is a generated value in a token",
      facts({ ...row(30, generated), clients: { "": [{ token: generated }] } }),
      facts({ ...row(31, generated), clients: { "": [{ token: generated }] } }),
      true,
    ],
    [
      "in a row whose key is a part of a generated cookie",
      facts({ ...row(30, new Generated(SID, "t", undefined)), clients: { "": [{ cookies: [{ value: SIGNED }] }] } }),
      facts({ ...row(31, new Generated(SID, "t", undefined)), clients: { "": [{ cookies: [{ value: SIGNED }] }] } }),
      true,
    ],
    [
      "in a row whose key is a UUID in a cookie, written in another way",
      withCookie(row(30, UUID.toUpperCase()), UUID),
      withCookie(row(31, UUID.toUpperCase()), UUID),
      true,
    ],
    [
      "in a new field",
      stored(table("sess", "*sid data", [["s", touched({ expires: end(30), path: "/" })]])),
      stored(table("sess", "*sid data", [["s", touched({ expires: end(31), originalExpires: end(30), path: "/" })]])),
      true,
    ],
    [
      "in a column that was empty",
      stored(table("sessions", "*sid last_used_at", [["s", null]])),
      stored(table("sessions", "*sid last_used_at", [["s", end(0)]])),
      true,
    ],
    [
      "but the row is a cart, of which another time changed",
      withCookie(stored(table("carts", "*id ordered_at", [[SID, end(30)]]))),
      withCookie(stored(table("carts", "*id ordered_at", [[SID, end(31)]]))),
      false,
    ],
    [
      "but the row is a cart that was ordered",
      withCookie(stored(table("carts", "*id ordered_at expires_at", [[SID, null, end(30)]]))),
      withCookie(stored(table("carts", "*id ordered_at expires_at", [[SID, end(0), end(31)]]))),
      false,
    ],
    [
      "in JSON of a row whose key is a cookie",
      withCookie(stored(table("logins", "*sid data", [[SID, data(30)]]))),
      withCookie(stored(table("logins", "*sid data", [[SID, data(31)]]))),
      true,
    ],
    [
      "in a new field of a row whose key is a cookie",
      withCookie(stored(table("logins", "*sid data", [[SID, touched({ expires: end(30) })]]))),
      withCookie(stored(table("logins", "*sid data", [[SID, touched({ expires: end(31), last_used_at: end(0) })]]))),
      true,
    ],
    [
      "but the key of Redis is a cart in a cookie, of which another time changed",
      withCookie(facts({ systems: { db: hashes([[`cart:${SID}`, "ordered", end(30)]]) } })),
      withCookie(facts({ systems: { db: hashes([[`cart:${SID}`, "ordered", end(31)]]) } })),
      false,
    ],
    ["but the key is another cookie", withCookie(row(30), SID.toLowerCase()), withCookie(row(31), SID.toLowerCase()), false],
    [
      "but the key is the id of a user, whom a token names",
      facts({ ...row(30, generated), clients: { "": [{ token: new JsonText({ claims: { sub: generated } }) }] } }),
      facts({ ...row(31, generated), clients: { "": [{ token: new JsonText({ claims: { sub: generated } }) }] } }),
      false,
    ],
    [
      "but the session was revoked",
      stored(table("sessions", "*sid revoked_at", [["s", null]])),
      stored(table("sessions", "*sid revoked_at", [["s", end(0)]])),
      false,
    ],
    [
      "but the new field is no time",
      stored(table("sess", "*sid data", [["s", touched({ expires: end(30) })]])),
      stored(table("sess", "*sid data", [["s", touched({ expires: end(30), last_item: 4 })]])),
      false,
    ],
    [
      "but the session belongs to another user",
      stored(session(30)),
      stored(table("sessions", "*sid user ends", [["s1", "bob", end(30)]])),
      false,
    ],
    [
      "but another session begins",
      stored(session(30)),
      stored(
        table("sessions", "*sid user ends", [
          ["s1", "ann", end(30)],
          ["s2", "ann", end(31)],
        ]),
      ),
      false,
    ],
    ["but it is no session", stored(session(30, "*id user ends", "leases")), stored(session(31, "*id user ends", "leases")), false],
    ["but it is another key", redis(end(30), "lease:1"), redis(end(31), "lease:1"), false],
  ])("%s", (_where, before, after, isSame) => {
    expect([same(before, after), same(after, before)]).toEqual([isSame, isSame]);
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

/** A value that experiments showed to be generated. `counter`: the domain of an integer. */
function made(key: string, counter?: string): StoredValue {
  const origin = { label: "l", shape: "", step: 1, domain: counter ?? "place", ancestry: [], source: "" };
  return new Generated(counter === undefined ? key : `${counter}:${key}`, "t", origin) as unknown as StoredValue;
}

describe("a generated text of a row that both states have", () => {
  const tokens = (id: StoredValue, token: string, user: StoredValue = 1): ReturnType<typeof table> =>
    table("tokens", "*id token user_id", [[id, made(token), user]]);
  const USER = "OvrlE3Lqh7l910wPaEvMVkfdNBMBhyPm";
  const withUser = (state: Facts): Facts => ({ ...state, clients: { "": [{ cookies: [{ value: `s:${USER}.c2lnbmF0dXJl` }] }] } });
  const user = (hash: string, name = "users"): ReturnType<typeof table> => table(name, "*id name hash", [[1, "ann", made(hash)]]);

  it.each<[string, Facts, Facts, boolean, Options?]>([
    ["is replaced", stored(user("h1")), stored(user("h2")), true],
    ["is the same", stored(user("h1")), stored(user("h1")), false],
    ["is replaced, but ignored", stored(user("h1")), stored(user("h2")), false, { ignore: ["users.hash"] }],
    [
      "is replaced in a row whose key is in a cookie",
      withUser(stored(table("users", "*id hash", [[USER, made("h1")]]))),
      withUser(stored(table("users", "*id hash", [[USER, made("h2")]]))),
      true,
    ],
    ["is replaced, but belongs to a session", stored(user("h1", "web_sessions")), stored(user("h2", "web_sessions")), false],
    [
      "is replaced under a key of two columns",
      stored(table("keys", "*user *name secret", [[1, "a", made("s1")]])),
      stored(table("keys", "*user *name secret", [[1, "a", made("s2")]])),
      true,
    ],
    ["is replaced with the whole row", stored(tokens(made("k1"), "t1")), stored(tokens(made("k2"), "t2")), false],
    ["is replaced with a row whose key is a number", stored(tokens(4, "t1")), stored(tokens(5, "t2")), false],
    [
      "refers to a row that was replaced",
      stored(table("users", "*id token", [[1, made("k1")]]), tokens(made("k1"), "t1")),
      stored(table("users", "*id token", [[1, made("k2")]]), tokens(made("k2"), "t2")),
      false,
    ],
    [
      "is a number of a counter",
      stored(table("shops", "*id next", [[1, made("7", "shops")]])),
      stored(table("shops", "*id next", [[1, made("8", "shops")]])),
      false,
    ],
  ])("%s", (_what, before, after, isOverwritten, options) => {
    const canonical = canonicalizer(options);
    canonical.root(stored());
    const rows = [before, after].map((state) => canonical.rows(state)) as [never, never];
    expect([sameStores(...rows), overwrites(...rows)]).toEqual([true, isOverwritten]);
  });

  it("is found in the values of a store without tables, too", () => {
    const state = (secret: string, id: string): Facts =>
      facts({
        systems: { kv: { kind: "value", value: { "user:1": { hash: made(secret) }, keys: [{ id: made(id), secret: made(`${id}s`) }] } } },
      });
    const canonical = canonicalizer();
    const of = (state: Facts): ReturnType<typeof canonical.rows> => canonical.rows(state);
    expect(overwrites(of(state("a", "k1")), of(state("b", "k1")))).toBe(true);
    expect(overwrites(of(state("a", "k1")), of(state("a", "k2")))).toBe(false);
  });
});
