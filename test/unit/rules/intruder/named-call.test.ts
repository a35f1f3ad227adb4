import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { namedArguments, namedField, namedRequest } from "../../../../src/rules/intruder/named-call.ts";
import type { ReadValue } from "../../../../src/rules/intruder/owners-view.ts";

const owned = (values: Readonly<Record<string, string>>): readonly ReadValue[] =>
  Object.entries(values).map(([name, text]) => ({ name, text, kind: "owned" }));

describe("what a request names of values that were read", () => {
  it.each([
    ["/notes/1", "GET /notes/{id}"],
    ["/notes/1?full=1#top", "GET /notes/{id}?full={id}"],
    ["http://127.0.0.1:3000/notes/1", "GET /notes/{id}"],
    ["/notes/1.json", "GET /notes/{id}.json"],
    ["/Notes(1)/text", "GET /Notes({id})/text"],
    ["notes/%31", "GET notes/{id}"],
  ])("a segment, or what stands between marks: %s", (path, text) => {
    expect(namedRequest("get", path, undefined, owned({ id: "1" }))).toEqual({ text, safe: true, names: "owned" });
  });

  it.each(["/notes/10", "/notes/a-1", "/v1/notes", "/notes/%zz", "/1-2-3", "/notes"])("not a part of another value: %s", (path) => {
    expect(namedRequest("GET", path, undefined, owned({ id: "1" })).names).toBe("nothing");
  });

  it("query, forms and bodies, by whole values and by URLs", () => {
    const read = owned({ id: "7", note: "n-1" });
    expect(namedRequest("GET", "/notes", { query: { of: 7, also: ["n-1"] } }, read).text).toBe("GET /notes?of={id}&also.0={note}");
    expect(namedRequest("POST", "/links", { json: { a: { to: "n-1" }, by: 7 } }, read).text).toBe("POST /links with {note}, {id}");
    expect(namedRequest("POST", "/links", { form: { to: "n-1" } }, read).names).toBe("owned");
    expect(namedRequest("POST", "/links", { body: '{"to":"/notes/n-1"}' }, read).names).toBe("owned");
    expect(namedRequest("POST", "/links", { body: "to=n-1&x=2" }, read).names).toBe("owned");
    expect(namedRequest("POST", "/links", { json: { text: "about 7 notes", n: 70 } }, read).names).toBe("nothing");
  });

  it.each([
    ["GET", '/items?filter={"id":{"_eq":"7"}}', undefined],
    ["GET", "/items?ids=3,7", undefined],
    ["GET", "/items?q=owner_id:7", undefined],
    ["POST", "/items/delete", { json: { ids: "3,7" } }],
    ["POST", "/items/find", { form: { where: '{"objectId":7}' } }],
    ["POST", "/graphql", { json: { query: '{ order(id: "7") { total } }' } }],
  ] as const)("values inside a value: %s %s %j", (method, path, options) => {
    expect(namedRequest(method, path, options, owned({ id: "7" })).names).toBe("owned");
    expect(namedRequest(method, path, options, owned({ id: "8" })).names).toBe("nothing");
  });

  it("nothing by what stands in headers", () => {
    expect(namedRequest("GET", "/me", { headers: { "x-note": "7" } }, owned({ id: "7" })).names).toBe("nothing");
  });

  it("each of several keys with one value, in the order in which they were read", () => {
    const read = owned({ team_id: "1", project_id: "1" });
    expect(namedRequest("GET", "/teams/1/projects/1", undefined, read).text).toBe("GET /teams/{team_id}/projects/{project_id}");
  });

  it("no thing of the owner's, where what it names is shared, or a secret goes with it", () => {
    const shared: ReadValue = { name: "tenant", text: "1", kind: "shared" };
    const token: ReadValue = { name: "token", text: "t", kind: "credential" };
    expect(namedRequest("GET", "/tenants/1", undefined, [shared]).names).toBe("nothing");
    expect(namedRequest("GET", "/tenants/1/notes/2", undefined, [shared, ...owned({ id: "2" })]).names).toBe("owned");
    expect(namedRequest("GET", "/notes/2", { query: { key: "t" } }, [token, ...owned({ id: "2" })]).names).toBe("credential");
  });

  it("the arguments of a client of another kind", () => {
    expect(namedArguments("refund", [{ order: 3 }, true], owned({ id: "3" }))).toEqual({
      text: "refund({id})",
      safe: false,
      names: "owned",
    });
    expect(namedArguments("query", ['{ note(id: "3") { text } }'], owned({ id: "3" })).names).toBe("owned");
    expect(namedArguments("list", [], owned({ id: "3" })).names).toBe("nothing");
  });

  it("every value as a segment, whatever it is", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: "grapheme" }), (text) => {
        fc.pre(text !== "notes");
        const call = namedRequest("GET", `/notes/${encodeURIComponent(text)}`, undefined, owned({ id: text }));
        expect(call).toMatchObject({ names: "owned", text: "GET /notes/{id}" });
      }),
    );
  });

  it("text of hostile requests is only text", () => {
    fc.assert(
      fc.property(fc.string(), fc.jsonValue(), (path, json) => {
        expect(namedRequest("POST", path, { json }, owned({ id: "an id that nobody draws" })).names).toBe("nothing");
      }),
    );
  });
});

describe("what an operation of GraphQL names", () => {
  const read = owned({ note_id: "7" });

  it.each([
    ["query Note($id: ID!) { note(id: $id) { id } }", { id: "7" }, { text: "query note with {note_id}", safe: true, names: "owned" }],
    [
      "mutation ($in: In!) { n: pay(in: $in) { ok } }",
      { in: { ids: [7] } },
      { text: "mutation pay with {note_id}", safe: false, names: "owned" },
    ],
    ['{ note(id: "7") { id } }', undefined, { text: "query note with {note_id}", safe: true, names: "owned" }],
    ["{ note(id: 7) { id } }", undefined, { text: "query note with {note_id}", safe: true, names: "owned" }],
    ["{ notes(first: 70) { id7 } }", { first: 71 }, { text: "query notes", safe: true, names: "nothing" }],
  ] as const)("%s with %j", (text, variables, expected) => {
    expect(namedField(text, { variables }, read)).toEqual(expected);
  });

  it("the id of a session is the owner's in a path, and a credential elsewhere", () => {
    const read: readonly ReadValue[] = [{ name: "session_id", text: "s-1", kind: "session" }];
    expect(namedRequest("GET", "/sessions/s-1", undefined, read)).toMatchObject({ text: "GET /sessions/{session_id}", names: "owned" });
    for (const options of [{ query: { sid: "s-1" } }, { json: { session: "s-1" } }])
      expect(namedRequest("GET", "/sessions/s-1", options, read).names).toBe("credential");
    expect(namedField("mutation { end }", { variables: { id: "s-1" } }, read).names).toBe("credential");
  });

  it("a token is a credential", () => {
    const token: readonly ReadValue[] = [{ name: "token", text: "t-1", kind: "credential" }];
    expect(namedField("mutation { logOut }", { variables: { token: "t-1" } }, token).names).toBe("credential");
  });
});
