import { describe, expect, it } from "vitest";
import { useAfterFree } from "../../../src/rules/index.ts";
import type { StoresView } from "../../../src/model/declare/rule.ts";
import { judged, RESOURCES, rowsView, type Answer, type Script, type TableRows } from "../../support/scripted-step.ts";

const deleted = (script: Partial<Script>, status: Answer = 204): Script => ({
  sends: ["DELETE /customers/7"],
  during: { "DELETE /customers/7": status },
  ...script,
});

describe("useAfterFree with resources", () => {
  const rule = useAfterFree({ resources: RESOURCES });
  const holds = async (script: Script): Promise<unknown> => (await judged(rule as never, script)).said;

  it.each([
    404,
    410,
    401,
    403,
    405,
    501,
    503,
    302,
    [200, null],
    [200, {}],
    [200, { id: 7, deleted_at: "now" }],
    [200, { id: 7, status: "trash" }],
    [200, { id: 7, discarded_at: "now" }],
  ] as Answer[])("holds where GET is answered %j", async (answer) => {
    expect(await holds(deleted({ after: { "GET /customers/7": answer } }))).toBe(true);
  });

  it.each([[[200, { id: 7, deleted_at: null }], 200] as const, [500 as Answer, 500] as const])(
    "is broken by %j",
    async (answer, status) => {
      const said = await holds(deleted({ after: { "GET /customers/7": answer } }));
      expect(said).toBe(
        `act: DELETE /customers/{id} was answered 204, but GET /customers/{id} of the deleted item was then answered ${status}`,
      );
    },
  );

  it.each([
    { ok: false },
    { success: false, message: "in use" },
    { error: "in use" },
    { deleted: 0 },
    { acknowledged: true, deletedCount: 0 },
  ])("does not judge a DELETE that deleted nothing: 200 %j", async (body) => {
    const after = { "GET /customers/7": [200, { id: 7 }] as Answer };
    expect(await judged(rule as never, deleted({ after, changed: false }, [200, body]))).toEqual({ said: true, asked: [] });
  });

  it("is broken by what lies below, and by a list that still has it", async () => {
    expect(await holds(deleted({ after: { "GET /customers/7/orders": [200, { data: [{ id: 1 }] }] } }))).toBe(
      "act: DELETE /customers/{id} was answered 204, but GET /customers/{customer_id}/orders below the deleted item was then answered 200 with 1 item",
    );
    expect(await holds(deleted({ after: { "GET /customers/7/orders": [200, { data: [{ id: 1, status: "cancelled" }] }] } }))).toBe(true);
    expect(await holds(deleted({ after: { "GET /customers": [200, [{ id: 6 }, { id: 7 }]] } }))).toBe(
      "act: DELETE /customers/{id} was answered 204, but GET /customers then still lists the deleted item",
    );
    expect(await holds(deleted({ after: { "GET /customers": [200, [{ id: 7 }], { link: '</customers?page=2>; rel="next"' }] } }))).toBe(
      true,
    );
  });

  it("is broken by a list below the path of the item, whose resource has paths of its own", async () => {
    const project = { name: "project", collection: "/projects", item: "/projects/{project_id}", can: { read: true, delete: true } };
    const task = { name: "task", collection: "/projects/{id}/tasks", item: "/tasks/{task_id}", can: { list: true, read: true } };
    const far = { name: "note", collection: "/projects/{id}/tasks/notes", item: "/notes/{note_id}", can: { list: true } };
    const below = useAfterFree({ resources: [project, task, far] });
    const script = (list: Answer): Script => ({
      sends: ["DELETE /projects/7"],
      during: { "DELETE /projects/7": 204 },
      after: { "GET /projects/7": 404, "GET /projects/7/tasks": list, "GET /projects/7/tasks/notes": [200, [{ id: 2 }]] },
    });
    const { said } = await judged(below as never, script([200, [{ id: 1 }]]));
    expect(said).toBe(
      "act: DELETE /projects/{project_id} was answered 204, but GET /projects/{id}/tasks below the deleted item was then answered 200 with 1 item",
    );
    expect((await judged(below as never, script(404))).said).toBe(true);
    expect((await judged(below as never, script([200, []]))).said).toBe(true);
  });

  it("is broken by what lies below a thing that is gone and was at an end before, and not by what it ended, or what says that it is deleted", async () => {
    const below = "GET /customers/7/orders";
    const list = (...items: readonly object[]): Answer => [200, { data: items }];
    const closed = { id: 1, status: "closed" };
    const broken = deleted({ after: { [below]: list(closed) }, before: { "GET /customers/7": [200, { id: 7 }], [below]: list(closed) } });
    expect(await holds(broken)).toBe(
      "act: DELETE /customers/{id} was answered 204, but GET /customers/{customer_id}/orders below the deleted item was then answered 200 with 1 item",
    );
    const fine: readonly Partial<Script>[] = [
      { after: { [below]: list(closed) }, before: { [below]: list({ id: 1, status: "open" }) } },
      { after: { [below]: list(closed) }, before: {} },
      { after: { [below]: list({ id: 1, deleted_at: "now" }) }, before: { [below]: list({ id: 1, deleted_at: "now" }) } },
      // The customer itself is served as one that is gone: so may be what it has.
      { after: { "GET /customers/7": [200, { id: 7, status: "archived" }], [below]: list(closed) }, before: { [below]: list(closed) } },
    ];
    for (const script of fine) expect(await holds(deleted(script))).toBe(true);
  });

  it("does not judge what ended below a thing that was gone before, or if the state before the step cannot be restored", async () => {
    const closed = { "GET /customers/7/orders": [200, { data: [{ id: 1, status: "closed" }] }] as Answer };
    const before = { "GET /customers/7": [200, { id: 7 }] as Answer, ...closed };
    expect(await holds(deleted({ after: closed, before }))).toContain("with 1 item");
    expect(await holds(deleted({ after: closed, before: closed }))).toBe(true);
    expect(await holds(deleted({ after: closed, before, canGoBack: false }))).toBe(true);
  });

  describe("an item that had ended before it was deleted", () => {
    const [ITEM, LIST] = ["GET /customers/7", "GET /customers"];
    const [ended, listed] = [[200, { id: 7, status: "cancelled" }] as Answer, [200, [{ id: 7, status: "cancelled" }]] as Answer];
    const before = { [ITEM]: ended, [LIST]: listed };
    const stillListed = "act: DELETE /customers/{id} was answered 204, but GET /customers then still lists the deleted item";
    const stillServed = "act: DELETE /customers/{id} was answered 204, but GET /customers/{id} of the deleted item was then answered 200";

    it.each<[string, Partial<Script>, true | string]>([
      ["is still listed", { after: { [LIST]: listed }, before }, stillListed],
      ["is still served", { after: { [ITEM]: ended, [LIST]: [200, []] }, before }, stillServed],
    ])("is broken if the item %s", async (_what, script, said) => {
      expect(await holds(deleted(script))).toBe(said);
      expect(await holds(deleted({ ...script, canGoBack: false }))).toBe(true);
    });

    it.each<[string, Partial<Script>]>([
      [
        "the status is of this deletion",
        { after: { [LIST]: listed }, before: { [ITEM]: 200, [LIST]: [200, [{ id: 7, status: "paid" }]] } },
      ],
      ["the list has another status", { after: { [LIST]: [200, [{ id: 7, status: "archived" }]] }, before }],
      ["the list says that it was deleted", { after: { [LIST]: [200, [{ id: 7, deleted: true, status: "cancelled" }]] }, before }],
      ["the item was gone before", { after: { [LIST]: listed }, before: { [LIST]: listed } }],
      ["the item is served in another way", { after: { [ITEM]: [200, { id: 7, status: "archived" }], [LIST]: [200, []] }, before }],
      ["the list never had it", { after: { [ITEM]: ended, [LIST]: [200, []] }, before: { ...before, [LIST]: [200, []] } }],
      ["the list is a page", { after: { [ITEM]: ended, [LIST]: [200, [], { "x-total-count": "3" }] }, before }],
      // A repeated `DELETE` of an item that `DELETE` cancels is answered like this, too.
      ["nothing changed", { after: before, before }],
    ])("holds if %s", async (_what, script) => {
      expect(await holds(deleted(script))).toBe(true);
    });
  });

  /** The stores before and after a step, each read once: the rule reads the state after the step first. */
  const stores = (
    before: TableRows,
    after: TableRows,
    fields: readonly string[] = [],
  ): readonly [after: StoresView, before: StoresView] => {
    const view = (rows: TableRows, count: number): StoresView => ({
      ...rowsView(rows),
      changedRows: () => ({ fields, counts: new Map(fields.map((field) => [`db.${field.split(".")[0]!}`, count])) }),
    });
    return [view(after, 1), view(before, 1)];
  };
  const [row, members] = [(...values: readonly unknown[]) => [7, "Ann", ...values], { group_members: [[1, 7]] }];
  const paid = "POST /customers/{id}/pay was answered 200";

  it.each<[string, Script["stores"], boolean]>([
    ["adds the row again", stores({ customers: [] }, { customers: [row()] }), true],
    ["adds it to a table with a prefix", stores({ app_customers: [] }, { app_customers: [row()] }), true],
    ["takes it back from the removed rows", stores({}, { customers: [row("new")] }), true],
    ["clears the mark", stores({ customers: [row(1)] }, { customers: [row(0)] }, ["customers.is_deleted"]), true],
    ["clears a time", stores({ customers: [row("now")] }, { customers: [row(null)] }, ["customers.deleted_at"]), true],
    ["changes the state", stores({ customers: [row("deleted")] }, { customers: [row("open")] }, ["customers.status"]), true],
    ["publishes it", stores({ customers: [row("draft")] }, { customers: [row("published")] }, ["customers.status"]), false],
    ["publishes it by a time", stores({ customers: [row(null)] }, { customers: [row("now")] }, ["customers.published_at"]), false],
    [
      "adds a member",
      stores(
        { customers: [row(0)], ...members },
        {
          customers: [row(0)],
          group_members: [
            [1, 7],
            [2, 7],
          ],
        },
      ),
      false,
    ],
    ["adds a row that refers to it", stores({ groups: [] }, { groups: [[7]] }), false],
    ["shows nothing, without stores", undefined, false],
  ])("a call below an item that could not be read is a finding only if it revives the item: it %s", async (_what, views, isBroken) => {
    const script: Script = {
      sends: ["POST /customers/7/pay"],
      before: { "GET /customers/7": 404 },
      after: { "GET /customers/7": [200, { id: 7 }] },
      ...(views !== undefined && { stores: views }),
    };
    const said = `act: ${paid}; GET /customers/{id} of the item was answered 404 before this request and 200 after it`;
    expect(await holds(script)).toBe(isBroken ? said : true);
    const published = { ...script, sends: ["PATCH /customers/7"] };
    const isShown = views !== undefined && !String(_what).includes("refers");
    expect((await holds(published)) === true).toBe(isShown && !isBroken);
  });

  it("a table that refers to the resource is not its own", async () => {
    const views = (columns: readonly string[]): readonly StoresView[] => {
      const [after, before] = stores({ user_customers: [] }, { user_customers: [[1, 7]] });
      return [after, { ...before, changedFields: () => columns.map((column) => `user_customers.${column}`) }];
    };
    const script = { sends: ["POST /customers/7/join"], after: { "GET /customers/7": [200, { id: 7 }] as Answer } };
    expect(await holds({ ...script, stores: views(["user_id", "customer_id"]) })).toBe(true);
    expect(await holds({ ...script, stores: views(["id", "name"]) })).not.toBe(true);
  });

  it("a page for every unknown path is no item", async () => {
    const page = [200, "<!doctype html>"] as const;
    const any = { "GET /customers/7": page, "GET /customers/987654321": page };
    expect(await holds(deleted({ after: any }))).toBe(true);
    expect(await holds(deleted({ after: { "GET /customers/7": page } }))).toContain("was then answered 200");
    expect((await judged(useAfterFree() as never, deleted({ after: any, before: any }))).said).toBe(true);
  });

  it.each<[string, Partial<Script>, true | string]>([
    ["a PATCH of it", { sends: ["PATCH /customers/7"] }, "PATCH /customers/{id} was answered 200"],
    ["a call below it", { sends: ["POST /customers/7/pay"], before: { "GET /customers/7": 410 } }, paid],
    ["one that was there", { sends: ["PATCH /customers/7"], before: { "GET /customers/7": [200, { id: 7 }] } }, true],
    ["one that stays away", { sends: ["PATCH /customers/7"], after: {} }, true],
    ["a PUT that says that it made one", { sends: ["PUT /customers/7"], during: { "PUT /customers/7": 201 } }, true],
    ["a refused write", { sends: ["PATCH /customers/7"], during: { "PATCH /customers/7": 404 } }, true],
    ["a write that changed nothing", { sends: ["PATCH /customers/7"], changed: false }, true],
  ])("is broken by what a write brings to life, and by no other: %s", async (_what, script, said) => {
    const whole = { before: { "GET /customers/7": 404 }, after: { "GET /customers/7": [200, { id: 7 }] as Answer }, sends: [], ...script };
    const expected =
      said === true ||
      `act: ${said}; GET /customers/{id} of the item was answered ${said === paid ? 410 : 404} before this request and 200 after it`;
    expect(await holds(whole)).toBe(expected);
  });

  it("judges an API that answers 200 without content for a missing item", async () => {
    const script = { sends: ["PATCH /customers/7"], after: { "GET /customers/7": [200, { id: 7 }] as Answer } };
    expect(await holds({ ...script, before: { "GET /customers/7": [200, null] } })).toBe(
      "act: PATCH /customers/{id} was answered 200; GET /customers/{id} of the item was answered 200 without the item before this request and 200 after it",
    );
    const below = "GET /customers/7/orders";
    const closed = { [below]: [200, { data: [{ id: 1, status: "closed" }] }] as Answer };
    const before = { "GET /customers/7": [200, { id: 7 }] as Answer, ...closed };
    expect(await holds(deleted({ after: { "GET /customers/7": 200, ...closed }, before }))).toContain("with 1 item");
  });

  it("judges an item that stores an error", async () => {
    const job = (error: string | null): Answer => [200, { id: 7, status: "failed", error }];
    const key = "GET /customers/7";
    const retried = { sends: ["PATCH /customers/7"], before: { [key]: job("card declined") }, after: { [key]: job(null) } };
    expect(await holds(retried)).toBe(true);
    expect(await holds(deleted({ after: { [key]: job("card declined") } }))).toContain("of the deleted item was then answered 200");
    expect(await holds(deleted({ after: { [key]: job("card declined") } }, job("card declined")))).toContain("was then answered 200");
  });

  const restored = (answer: Answer, after: Answer): Script => ({
    sends: ["POST /customers/7/restore"],
    during: { "POST /customers/7/restore": answer },
    after: { "GET /customers/7": after },
  });

  it.each<[Answer, string]>([
    [404, "404"],
    [410, "410"],
    [500, "500"],
    [[200, { id: 7, deleted_at: "now" }], "200 with an item that is still marked as deleted"],
    [[200, { id: 7, status: "deleted" }], "200 with an item that is still marked as deleted"],
  ])("is broken by what was brought back and is answered %j", async (answer, said) => {
    expect(await holds(restored(200, answer))).toBe(
      `act: POST /customers/{id}/restore was answered 200, but GET /customers/{id} of the restored item was then answered ${said}`,
    );
  });

  it.each<[Answer, Answer]>([
    [200, [200, { id: 7, deleted_at: null }]],
    [200, [200, { id: 7, archived: true, status: "closed" }]],
    [200, 403],
    [200, 503],
    [202, 404],
    [409, 404],
  ])("holds where bringing back is answered %j and GET then %j", async (answer, after) => {
    expect(await holds(restored(answer, after))).toBe(true);
  });

  it.each(["restore", "/customers/restore", 7])("refuses `restore` %j", (restore) => {
    expect(() => useAfterFree({ resources: [{ ...RESOURCES[0]!, restore: restore as string }] })).toThrow(
      'useAfterFree: `restore` of the resource "customer" is not a path that begins with / and has the parameters of its item.',
    );
  });

  it("asks nothing where nothing was deleted, it was only accepted, something was written behind it, or it is no item", async () => {
    const quiet: readonly Script[] = [
      deleted({}, 202),
      deleted({}, 404),
      deleted({ sends: ["DELETE /customers/7", "PUT /settings"] }),
      { sends: ["DELETE /session"] },
      { sends: ["GET /customers/7"] },
    ];
    for (const script of quiet) expect(await judged(rule as never, script)).toEqual({ said: true, asked: [] });
  });
});

describe("useAfterFree without resources", () => {
  const rule = useAfterFree();
  const body = [200, { id: 7 }] as const;

  it("is broken where the same is served as before", async () => {
    const { said } = await judged(rule as never, deleted({ after: { "GET /customers/7": body }, before: { "GET /customers/7": body } }));
    expect(said).toBe(
      "act: DELETE /customers/{id} was answered 204, but a GET of the same path was then answered 200 with the same content as before",
    );
  });

  it("holds where it is served otherwise, was not there, is empty, or nothing changed", async () => {
    const scripts: readonly Partial<Script>[] = [
      { after: { "GET /customers/7": [200, { id: 7, gone: true }] }, before: { "GET /customers/7": body } },
      { after: { "GET /customers/7": body } },
      { after: { "GET /customers/7": [200, []] }, before: { "GET /customers/7": [200, []] } },
      { after: { "GET /customers/7": body }, before: { "GET /customers/7": body }, changed: false },
    ];
    for (const script of scripts) expect((await judged(rule as never, deleted(script))).said).toBe(true);
  });
});
