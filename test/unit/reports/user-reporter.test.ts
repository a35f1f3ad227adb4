import { describe, expect, it } from "vitest";
import { Reporters, userReporter, type Reporter, type ReporterOptions } from "../../../src/reports/index.ts";
import type { RunReport } from "../../../src/reports/document/run-report.ts";
import { report, result, Sink } from "../../support/results.ts";

const SECRET = "s3cret-of-the-user";

function setting(changes: { readonly isAlone?: boolean; readonly mostMs?: number } = {}): {
  readonly stderr: Sink;
  readonly options: Parameters<typeof userReporter>[1];
} {
  const stderr = new Sink();
  const visibility = { redact: ["password"], includeRequestResponse: true };
  return {
    stderr,
    options: { stdout: new Sink(), stderr, env: {}, verbose: false, visibility, name: "./mine.ts", isAlone: true, ...changes },
  };
}

describe("the default export of a reporter", () => {
  const ended = (): void => undefined;
  class Listed {
    readonly given: ReporterOptions;
    constructor(given: ReporterOptions) {
      this.given = given;
    }
    ended(): void {
      this.given.stdout.write("over");
    }
  }

  it.each([
    ["an object", { ended }],
    ["a class", Listed],
    ["a function", () => ({ ended })],
    ["a function that returns a promise", () => Promise.resolve({ ended })],
    [
      "a function with a prototype",
      function make() {
        return { ended };
      },
    ],
  ])("may be %s", async (_, exported) => {
    await expect(userReporter(exported, setting().options)).resolves.toBeDefined();
  });

  it("gives a class the streams of the run", async () => {
    const { options } = setting();
    await (await userReporter(Listed, options)).ended(report({}));
    expect((options.stdout as Sink).text).toBe("over");
  });

  it.each([
    ["text", "console", /exports no reporter, because its default export has no method ended\(\)\.$/],
    ["null", null, /its default export has no method ended\(\)\.$/],
    ["an object without ended", { explored: ended }, /its default export has no method ended\(\)\.$/],
    ["a function that returns nothing", () => undefined, /the result of its default export has no method ended\(\)\.$/],
    [
      "a function that throws",
      () => {
        throw new Error("no token");
      },
      /threw while it created the reporter: no token\.$/,
    ],
  ])("is refused as %s", async (_, exported, message) => {
    await expect(userReporter(exported, setting().options)).rejects.toMatchObject({
      code: "REPORTER_INVALID",
      exitStatus: 2,
      message: expect.stringMatching(message) as unknown,
    });
  });
});

describe("a reporter of the user", () => {
  it("receives copies without secrets", async () => {
    const seen: string[] = [];
    const keep = (...values: readonly unknown[]): void => void seen.push(JSON.stringify(values));
    const mine: Reporter = { event: keep, explored: keep, message: keep, ended: keep };
    const one = await userReporter(mine, setting().options);
    const found = result({ notes: [`the answer was {"password":"${SECRET}"}`] });
    one.event("shop", { kind: "note", message: `{"password":"${SECRET}"}` });
    one.event("shop", { kind: "finished", result: found });
    one.explored({ name: "shop", file: "shop.explore.ts", result: found });
    one.message(`{"password":"${SECRET}"}`);
    await one.ended(report({ explorations: [{ name: "shop", file: "shop.explore.ts", result: found }] }));
    expect(seen).toHaveLength(5);
    expect(seen.join("\n")).not.toContain(SECRET);
  });

  it("that throws is named once and left out; the others go on", async () => {
    const { stderr, options } = setting({ isAlone: false });
    let calls = 0;
    const broken: Reporter = {
      explored: () => {
        calls++;
        throw new Error("disk full");
      },
      ended: () => void calls++,
    };
    const others: RunReport[] = [];
    const all = new Reporters([await userReporter(broken, options), { ended: (one) => void others.push(one) }]);
    const explored = { name: "shop", file: "shop.explore.ts", result: result() };
    all.explored(explored);
    all.explored(explored);
    await all.ended(report({}));
    expect(calls).toBe(1);
    expect(others).toHaveLength(1);
    expect(stderr.text).toBe("warning: The reporter ./mine.ts threw in explored: disk full. The run continues without this reporter.\n");
  });

  it("whose promise is rejected, or does not settle in time, is named", async () => {
    const first = setting();
    await (await userReporter({ ended: () => Promise.reject(new Error("no route")) }, first.options)).ended(report({}));
    expect(first.stderr.text).toContain("The reporter ./mine.ts threw in ended: no route.");
    const second = setting({ mostMs: 20 });
    await (await userReporter({ ended: () => new Promise(() => undefined) }, second.options)).ended(report({}));
    expect(second.stderr.text).toContain("The reporter ./mine.ts did not finish ended() within 0.02 s.");
  });

  it("that takes no messages, or was left out, leaves them to standard error if no other reporter shows them", async () => {
    const { stderr, options } = setting();
    const quiet = await userReporter({ ended: () => undefined }, options);
    quiet.message("error: something");
    expect(stderr.text).toBe("error: something\n");
    const beside = setting({ isAlone: false });
    (await userReporter({ ended: () => undefined }, beside.options)).message("error: something");
    expect(beside.stderr.text).toBe("");
    const loud = setting();
    const broken = await userReporter(
      {
        message: () => {
          throw new Error("oops");
        },
        ended: () => undefined,
      },
      loud.options,
    );
    broken.message("one");
    broken.message("two");
    expect(loud.stderr.text).toMatch(/^warning: The reporter \.\/mine\.ts threw in message: oops\..*\ntwo\n$/);
  });
});
