import { describe, expect, it, onTestFinished } from "vitest";
import { InProcessClock } from "../../../src/adapters/clock/index.ts";
import { startInProcess } from "../../../src/lane-pools/in-process-target.ts";
import { requireClockFollows } from "../../../src/lane/bring-up/clock-follows.ts";
import type { Lane } from "../../../src/model/declare/lane.ts";

const DAY = 86_400_000;

const daysAhead = (text: string): number => Math.round((Number(text) - performance.timeOrigin - performance.now()) / DAY) || 0;

/** Answers with the time, of a clock that is 3 days ahead, that a target's code sees. */
async function answered(code: string, { probe }: { readonly probe?: string } = {}) {
  const clock = new InProcessClock({ id: "test", probe });
  onTestFinished(() => clock.close());
  clock.advance("3 days");
  const lane: Lane = { index: 0, baseUrl: "", dbUrl: undefined, dbPath: undefined, systems: { clock }, tmpDir: "" };
  const target = await startInProcess(`data:text/javascript,${encodeURIComponent(code)}`, lane, { clock });
  onTestFinished(() => target.close());
  return { clock, target };
}

const NO_STORES: Lane = { index: 0, baseUrl: "", dbUrl: undefined, dbPath: undefined, systems: {}, tmpDir: "" };

describe("a target in this process that is started again", () => {
  const answers = async (code: string): Promise<readonly string[]> => {
    const texts: string[] = [];
    for (let starts = 0; starts < 2; starts++) {
      const target = await startInProcess(`data:text/javascript,${encodeURIComponent(code)}`, NO_STORES, {});
      for (let requests = 0; requests < 2; requests++) texts.push(await (await target.fetch!(new Request("http://localhost/"))).text());
      await target.close();
    }
    return texts;
  };

  it("has lost the memory of its modules", async () => {
    expect(await answers("let n = 0; export const createTarget = () => () => new Response(String(++n));")).toEqual(["1", "2", "1", "2"]);
  });

  it("keeps its memory if the module can be evaluated only once", async () => {
    const code = `if (globalThis.seqqaTestMetric) throw new Error("The metric is registered already."); globalThis.seqqaTestMetric = true;
let n = 0; export const createTarget = () => () => new Response(String(++n));`;
    onTestFinished(() => void Reflect.deleteProperty(globalThis, "seqqaTestMetric"));
    expect(await answers(code)).toEqual(["1", "2", "3", "4"]);
  });

  it("is refused with its own error if the module cannot be evaluated at all", async () => {
    await expect(answers('throw new Error("no licence");')).rejects.toThrow(
      "The module of target.module threw an error when seqqa loaded it: no licence",
    );
    await expect(answers('export const createTarget = () => { throw new Error("no port"); };')).rejects.toMatchObject({
      code: "TARGET_MODULE_THREW",
      message: "The function createTarget(lane) of target.module threw an error: no port",
    });
  });
});

describe("a module that Node cannot load", () => {
  it.each([
    ['import "file:///no/such.js";', /^Node did not find a module that target\.module imports: Cannot find module/, /install the package/],
    ["export const createTarget = ;", /because of a SyntaxError: Unexpected token/, /^Correct the syntax\./],
    ['import { nope } from "node:fs"; nope();', /because of a SyntaxError: .* export named 'nope'/, /check the name in the import/],
    ['throw new Error("no licence");', /^The module of target\.module threw an error/, /^Code outside of functions runs/],
  ])("has its own message and hint: %s", async (code, message, hint) => {
    await expect(startInProcess(`data:text/javascript,${encodeURIComponent(code)}`, NO_STORES, {})).rejects.toMatchObject({
      code: "TARGET_MODULE_THREW",
      message: expect.stringMatching(message) as string,
      hint: expect.stringMatching(hint) as string,
    });
  });
});

describe("a target in this process with a clock", () => {
  it.each([
    ["a fetch handler", "export const createTarget = () => async () => { await null; return new Response(String(Date.now())); };"],
    ["an object with fetch", "export const createTarget = () => ({ fetch: () => new Response(String(Date.now())) });"],
    [
      "the time when it was made",
      "export const createTarget = () => { const made = Date.now(); return () => new Response(String(made)); };",
    ],
    [
      "a body that is made while it is read",
      `export const createTarget = () => () => new Response(new ReadableStream({
        pull: async (controller) => { controller.enqueue(new TextEncoder().encode(String(Date.now()))); controller.close(); },
      }, { highWaterMark: 0 }), { status: 201, headers: { "x-own": "1" } });`,
    ],
  ])("%s sees the clock's time", async (_what, code) => {
    const { target } = await answered(code);
    const response = await target.fetch!(new Request("http://localhost/"));
    expect(daysAhead(await response.text())).toBe(3);
    expect(daysAhead(String(Date.now()))).toBe(0);
  });

  it("passes answers on with their status, their headers, and without a body where they have none", async () => {
    const { target } = await answered(
      `export const createTarget = () => ({ url }) => url.endsWith("/none") ? new Response(null, { status: 204 })
        : new Response("{}", { status: 201, headers: [["set-cookie", "a=1"], ["set-cookie", "b=2"]] });`,
    );
    const [full, none] = await Promise.all(["/", "/none"].map(async (path) => target.fetch!(new Request(`http://localhost${path}`))));
    expect([full!.status, full!.headers.getSetCookie(), await full!.text()]).toEqual([201, ["a=1", "b=2"], "{}"]);
    expect([none!.status, none!.body]).toEqual([204, null]);
  });

  it("is refused if its probe shows another time, and is brought back to the clock's time otherwise", async () => {
    const wrong = await answered("const own = Date.now() + 7e8; export const createTarget = () => () => Response.json({ now: own });", {
      probe: "/time",
    });
    await expect(requireClockFollows({ clock: wrong.clock }, { baseUrl: "", fetch: wrong.target.fetch })).rejects.toMatchObject({
      code: "CLOCK_NOT_FOLLOWED",
      exitStatus: 2,
      message: expect.stringMatching(
        /^systems\.clock does not move the target's clock: the target's answer to GET \/time shows .*, but the clock was set to /,
      ),
    });
    const right = await answered("export const createTarget = () => () => Response.json({ now: new Date() });", { probe: "/time" });
    await requireClockFollows({ clock: right.clock }, { baseUrl: "", fetch: right.target.fetch });
    expect(right.clock.aheadMs()).toBe(3 * DAY);
  });
});
