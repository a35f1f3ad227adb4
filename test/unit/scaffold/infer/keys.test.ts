import { describe, expect, it } from "vitest";
import type { ScaffoldPlan } from "../../../../src/scaffold/infer/plan.ts";
import { answers, object, planApi, sends, type Json } from "../../../support/describe-api.ts";
import { edgesOf } from "../../../support/plan-edges.ts";

const text = { type: "string" };
const number = { type: "integer" };
const inPath = (name: string, description?: string, schema: Json = text): Json => ({
  name,
  in: "path",
  required: true,
  schema,
  description,
});
const OWNER = inPath("owner", "The account that has the repository");
const REPO = inPath("repo", "The name of the repository");
const ORG = inPath("org", "The organization");

const repository = object({ id: number, name: text, owner: object({ id: number, login: text }) });
const GIT = {
  "post /user/repos": { responses: answers(repository, "201"), requestBody: sends(object({ name: text })) },
  "get /repos/{owner}/{repo}": { parameters: [OWNER, REPO], responses: answers(repository) },
  "get /teams/{team_id}/repos/{owner}/{repo}": { parameters: [inPath("team_id"), OWNER, REPO], responses: answers(repository) },
};

/** The lines of some operations. */
function edges(plan: ScaffoldPlan, ...ids: readonly string[]): readonly string[] {
  return edgesOf(plan).filter((edge) => ids.some((id) => edge.startsWith(`${id} `)));
}

const openKeys = ({ actions, keys }: ScaffoldPlan): readonly string[] => {
  const produced = new Set(actions.flatMap(({ produces }) => produces.map(({ key }) => key)));
  return keys.map(({ key }) => key).filter((key) => !produced.has(key));
};

describe("an id of several parts", () => {
  it("comes from one answer: the name, and below it the owner's login", () => {
    expect(edges(planApi(GIT), "get /repos/{owner}/{repo}")).toEqual([
      "get /repos/{owner}/{repo} path owner <- post /user/repos body owner.login",
      "get /repos/{owner}/{repo} path repo <- post /user/repos body name",
    ]);
  });

  it("is not taken from an answer that lacks a part of it", () => {
    const without = { ...GIT, "post /user/repos": { responses: answers(object({ id: number, name: text }), "201") } };
    expect(openKeys(planApi(without))).toContain("owner");
  });

  it("does not take the place of the resource above: members of another team are other members", () => {
    const member = object({ id: number, team_id: number });
    const plan = planApi({
      "get /teams/{team_id}": { responses: answers(object({ id: number })) },
      "get /teams/{team_id}/members/{member_id}": { responses: answers(member) },
      "get /members": { responses: answers({ type: "array", items: member }) },
    });
    expect(openKeys(plan)).toEqual(expect.arrayContaining(["team_id"]));
    expect(plan.actions.find(({ operation }) => operation.id === "get /members")?.produces).toEqual([]);
  });
});

describe("a bare name is linked", () => {
  const org = (item: Json, parameter: Json = ORG): readonly string[] =>
    edges(
      planApi({
        "get /user/orgs": { responses: answers({ type: "array", items: item }) },
        "get /orgs/{org}": { parameters: [parameter], responses: answers(object({ login: text, plan: text })) },
      }),
      "get /orgs/{org}",
    );

  it.each([
    ["login", object({ id: number, login: text, name: text })],
    ["slug", object({ id: number, slug: text, title: text })],
    // With no id at all, a title is what there is.
    ["title", object({ title: text })],
  ])("by its %s", (field, item) => {
    expect(org(item)).toEqual([`get /orgs/{org} path org <- get /user/orgs body 0.${field}`]);
  });

  it("by its name, where the description calls the parameter one", () => {
    const item = object({ id: number, name: text });
    expect(org(item)).toEqual(["get /orgs/{org} path org <- nothing"]);
    expect(org(item, inPath("org", "The name of the organization"))).toEqual(["get /orgs/{org} path org <- get /user/orgs body 0.name"]);
  });

  it("by an id that is of the same type, before all of these", () => {
    expect(org(object({ id: text, login: text, name: text }))).toEqual(["get /orgs/{org} path org <- get /user/orgs body 0.id"]);
  });
});

describe("one parameter is one key", () => {
  it("of all places that declare it alike, if one of them gives it", () => {
    expect(edges(planApi(GIT), "get /teams/{team_id}/repos/{owner}/{repo}")).toEqual([
      "get /teams/{team_id}/repos/{owner}/{repo} path owner <- post /user/repos body owner.login",
      "get /teams/{team_id}/repos/{owner}/{repo} path repo <- post /user/repos body name",
      "get /teams/{team_id}/repos/{owner}/{repo} path team_id <- nothing",
    ]);
  });

  const HOSTS = {
    "get /orgs/{org}": { parameters: [ORG], responses: answers(object({ plan: text })) },
    "get /hosts/{host_id}/orgs/{org}": { parameters: [inPath("host_id"), ORG], responses: answers(object({ plan: text })) },
    "delete /hosts/{host_id}/orgs/{org}": { parameters: [inPath("host_id"), ORG] },
  };

  it("also if nothing gives it", () => {
    expect(openKeys(planApi(HOSTS))).toEqual(["org_id", "host_id"]);
  });

  it("also if it is described in different words, where nothing gives either", () => {
    const other = { parameters: [inPath("org", "An organization, or its slug")], responses: answers(object({ plan: text })) };
    expect(openKeys(planApi({ ...HOSTS, "get /orgs/{org}": other }))).toEqual(["org_id", "host_id"]);
  });

  it("not if it is described in different words, and one of them is given", () => {
    const other = inPath("owner", "The owner of the car");
    const plan = planApi({ ...GIT, "get /cars/{owner}/{car}": { parameters: [other], responses: answers(object({ wheels: number })) } });
    expect(edges(plan, "get /cars/{owner}/{car}")).toContain("get /cars/{owner}/{car} path owner <- nothing");
  });

  it("not if its name says nothing", () => {
    const ids = planApi({ "delete /cats/{id}": {}, "delete /dogs/{id}": {} });
    expect(openKeys(ids)).toEqual(["cat_id", "dog_id"]);
  });

  it("not if each is given by itself: comments of issues are not those of commits", () => {
    const made = { responses: answers(object({ id: number }), "201"), requestBody: sends(object({ text })) };
    const comment = inPath("comment_id", "The comment", number);
    const plan = planApi({
      "post /issues/comments": made,
      "delete /issues/comments/{comment_id}": { parameters: [comment] },
      "post /commits/comments": made,
      "delete /commits/comments/{comment_id}": { parameters: [comment] },
    });
    expect(edges(plan, "delete /issues/comments/{comment_id}", "delete /commits/comments/{comment_id}")).toEqual([
      "delete /commits/comments/{comment_id} path comment_id <- post /commits/comments body id",
      "delete /issues/comments/{comment_id} path comment_id <- post /issues/comments body id",
    ]);
  });
});

describe("an answer with alternatives", () => {
  it.each(["anyOf", "oneOf"])("is searched in each of them (%s)", (keyword) => {
    const order = object({ id: number, total: number });
    const plan = planApi({
      "post /orders": { responses: answers({ [keyword]: [object({ error: text }), order] }, "201") },
      "get /orders/{order_id}": {
        parameters: [inPath("order_id", undefined, number)],
        responses: answers({ allOf: [{ anyOf: [{ type: "null" }, order] }] }),
      },
    });
    expect(edges(plan, "get /orders/{order_id}")).toEqual(["get /orders/{order_id} path order_id <- post /orders body id"]);
  });
});

describe("an id in a query", () => {
  const query = (name: string, required = true): Json => ({ name, in: "query", required, schema: number });
  const made = { responses: answers(object({ id: number }), "201"), requestBody: sends(object({ total: number })) };

  it.each(["id", "order_id", "orderId"])("is linked if it is required: %s", (name) => {
    const plan = planApi({
      "post /order": made,
      "get /order": { parameters: [query(name)], responses: answers(object({ id: number })) },
      "delete /order": { parameters: [query(name)] },
    });
    expect(edges(plan, "get /order", "delete /order")).toEqual([
      `delete /order query ${name} <- post /order body id`,
      `get /order query ${name} <- post /order body id`,
    ]);
  });

  it("comes from a call that is named after what it does", () => {
    const plan = planApi({ "post /order/create": made, "post /order/pay": { parameters: [query("orderId")] } });
    expect(edges(plan, "post /order/pay")).toEqual(["post /order/pay query orderId <- post /order/create body id"]);
  });

  it("is a key that the user sets if nothing gives it, and is not made up", () => {
    const plan = planApi({ "get /report": { parameters: [query("account_id")] } });
    expect(plan.actions[0]).toMatchObject({ needs: ["account_id"], parameters: [{ value: { kind: "context", key: "account_id" } }] });
    expect(plan.setup).toMatchObject([{ key: "account_id", unlocks: 1, reached: 1 }]);
  });

  it("is left out if it is optional: a filter hides the others", () => {
    expect(planApi({ "post /order": made, "get /order": { parameters: [query("order_id", false)] } }).actions[1]?.needs).toEqual([]);
  });
});

describe("answers that are not described, as in the documents of NestJS", () => {
  const silent = (status: string): Json => ({ [status]: { description: "" } });
  const API = {
    "post /workspaces": { responses: silent("201"), requestBody: sends(object({ name: text })) },
    "get /workspaces/{workspaceId}": { responses: silent("200") },
    "post /workspaces/{workspaceId}/tasks": { responses: silent("201"), requestBody: sends(object({ title: text })) },
    "patch /tasks/{taskId}": { responses: silent("200"), requestBody: sends(object({ title: text })) },
  };

  it("are assumed to be the item that was created, also below another item", () => {
    expect(edges(planApi(API), "get /workspaces/{workspaceId}", "patch /tasks/{taskId}")).toEqual([
      "get /workspaces/{workspaceId} path workspaceId <- post /workspaces body id",
      "patch /tasks/{taskId} path taskId <- post /workspaces/{workspaceId}/tasks body id",
    ]);
  });

  it("are assumed to be nothing where there is no content", () => {
    const plan = planApi({ ...API, "post /workspaces": { ...API["post /workspaces"], responses: silent("204") } });
    expect(openKeys(plan)).toContain("workspace_id");
  });
});
