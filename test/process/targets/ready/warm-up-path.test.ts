import { afterEach, expect, it } from "vitest";
import { warmUp, type WarmUpContext } from "../../../../src/targets/ready/warm-up.ts";
import { closeServers, serve } from "../../../support/http-servers.ts";

afterEach(closeServers);

it("a request of warm_up goes below the path of the base URL, as those of ready and of clients, unless it is a URL", async () => {
  const got: string[] = [];
  const url = await serve((request, response) => {
    got.push(request.url!);
    response.end();
  });
  const context: WarmUpContext = {
    steps: ["POST /init", "init?a=1", "GET //twice", `GET ${url}/other`].map((step) => (step.includes(" ") ? step : { path: step })),
    baseUrl: `${url}/api`,
    filling: {} as WarmUpContext["filling"],
    cwd: ".",
    env: {},
    passwords: [],
    timeoutMs: 5_000,
    ca: [],
    signal: new AbortController().signal,
    started: () => undefined,
    stopped: () => undefined,
  };
  await warmUp(context);
  expect(got).toEqual(["/api/init", "/api/init?a=1", "/api//twice", "/other"]);
  got.length = 0;
  await warmUp({ ...context, steps: [...context.steps, { command: "exit 1" }], onlyReads: true });
  expect(got).toEqual(["/api/init?a=1", "/api//twice", "/other"]);
});
