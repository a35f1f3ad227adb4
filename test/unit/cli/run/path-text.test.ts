import { describe, expect, it } from "vitest";
import { pathText } from "../../../../src/cli/run/path-text.ts";
import { Feed } from "../../../../src/ui/index.ts";
import { folderWith } from "../../../support/cli-harness.ts";
import { report, result } from "../../../support/results.ts";

const actions = ["create", "pay", "../../etc/x y"];
const config = { folder: "/work/qa", file: "/work/qa/seqqa.yaml", report: { outputDir: "/work/qa/reports" } };

/** A run of one exploration that has ended with a result, or goes on. */
function feedOf(changes: Parameters<typeof result>[0] | undefined): Feed {
  const feed = new Feed({ redact: [], includeRequestResponse: true });
  feed.event("shop", { kind: "started", name: "shop", lanes: 1, notes: [], actions, file: "qa/shop.explore.ts" });
  const step = { isFinding: false, exchanges: [], fromName: "d1703bab", toName: "48b80dac" };
  feed.tried("shop", { ...step, from: 0, action: "create", status: 201, to: 1, isNew: true });
  feed.tried("shop", { ...step, from: 1, action: "pay", status: 409, to: 1, isNew: false });
  if (changes !== undefined) feed.explored({ name: "shop", file: "qa/shop.explore.ts", result: result(changes) });
  return feed;
}

const textOf = (as: "test" | "journey", changes: Parameters<typeof result>[0] | undefined = {}, path = ["create", "pay"]) =>
  pathText({ config, feed: feedOf(changes), cwd: "/work" }, 0, { path, as });

describe("a path that is saved", () => {
  it("is a test that imports the exploration from the current folder, with the seed of its run", () => {
    const { text, file } = textOf("test");
    expect(file).toBe("pay.test.ts");
    expect(text).toContain('import { agent } from "./qa/shop.explore.ts";');
    expect(text).toContain('agent.replay(["create","pay"]');
    expect(text).toContain("seed: 7,");
  });

  it("is a journey for the folder of journeys, which expects the statuses that were seen", () => {
    const { text, file } = textOf("journey");
    expect(file).toBe("pay.journey.ts");
    expect(text).toContain('import { agent } from "../shop.explore.ts";');
    expect(text).toContain('step("create"),\n    step("pay", [409]),');
  });

  it("uses the export of a state graph, which cannot be a journey", () => {
    expect(textOf("test", { deadEdges: [] }).text).toContain('import { graph } from "./qa/shop.explore.ts";');
    expect(() => textOf("journey", { deadEdges: [] })).toThrow(
      expect.objectContaining({ message: "A path of a state graph cannot be saved as a journey.", hint: "Save the path as a test." }),
    );
  });

  it("cannot be a journey if an action acts as a role", () => {
    const coverage = { actions: { pay: { applied: 1, skipped: 0, statuses: {}, role: "bob" } }, pairs: 1 };
    expect(textOf("test", { coverage }).text).toContain("agent.replay");
    expect(textOf("journey", { coverage }, ["create"]).file).toBe("create.journey.ts");
    expect(() => textOf("journey", { coverage })).toThrow(
      "The path cannot be saved as a journey: action pay uses a role, but journeys have no roles.",
    );
  });

  it("cannot be a journey if the exploration has a setup", () => {
    const setup = { action: "setup", status: null, requests: [] };
    expect(textOf("test", { setup }).text).toContain("agent.replay");
    expect(() => textOf("journey", { setup })).toThrow(
      expect.objectContaining({
        message:
          "The path cannot be saved as a journey, because setup or a login sends requests before the path. A journey does not send these requests.",
        hint: "Save the path as a test.",
      }),
    );
  });

  it("imports the exploration of a stored run from the folder in which the run was started", () => {
    const root = folderWith({ "a/qa/shop.explore.ts": "", "b/qa/shop.explore.ts": "" });
    const known = feedOf({});
    const feed = { exploration: (index: number) => known.exploration(index), run: "run", folder: ".." };
    const context = { config: { ...config, report: { outputDir: `${root}/a/reports` } }, feed, cwd: `${root}/b` };
    expect(pathText(context, 0, { path: ["create"], as: "test" }).text).toContain('import { agent } from "../a/qa/shop.explore.ts";');
  });

  it("has a file name that is no path", () => {
    expect(textOf("test", {}, ["../../etc/x y"]).file).toBe("-etc-x-y.test.ts");
    expect(textOf("test", {}, []).file).toBe("root.test.ts");
  });

  it("has the test data of the finding that it was opened for", () => {
    const draws = [["create"], ["create", "create", "pay"]];
    const { text } = pathText({ config, feed: feedOf({}), cwd: "/work" }, 0, { path: ["create", "pay"], draws, as: "test" });
    expect(text).toContain('["create","create","pay"]');
  });

  it("does not exist if the exploration failed", () => {
    const feed = feedOf(undefined);
    feed.ended(report({ exitStatus: 3 }));
    expect(() => pathText({ config, feed, cwd: "/work" }, 0, { path: [], as: "test" })).toThrow(
      "The exploration failed, so its paths cannot be saved.",
    );
  });

  it("waits for the end of its exploration", () => {
    const feed = feedOf(undefined);
    expect(() => pathText({ config, feed, cwd: "/work" }, 0, { path: [], as: "test" })).toThrow(
      "The exploration is still in progress. Save the path after it has ended.",
    );
    expect(() => pathText({ config, feed, cwd: "/work" }, 1, { path: [], as: "test" })).toThrow(
      "The run does not contain this exploration. Reload the page.",
    );
  });
});
