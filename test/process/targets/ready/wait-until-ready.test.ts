import { createServer } from "node:http";
import { expect, it } from "vitest";
import { probe } from "../../../../src/targets/ready/probe.ts";
import { waitUntilReady, type Readiness } from "../../../../src/targets/ready/wait-until-ready.ts";
import { closedPort, listen } from "../support/servers.ts";

const urlOf = (port: number): URL => new URL(`http://127.0.0.1:${port}/`);

const ready = (...urls: readonly URL[]): Promise<Readiness> =>
  waitUntilReady(urls, 60_000, new Promise(() => {}), new AbortController().signal);

it("takes the first URL where it begins to answer after it was asked, while the second one is", async () => {
  const first = urlOf(await closedPort());
  const late = createServer((_, response) => response.end());
  const second = createServer((_, response) => late.listen(Number(first.port), "127.0.0.1", () => response.end()));
  try {
    expect(await ready(first, urlOf(await listen(second)))).toEqual({ kind: "ready", origin: first.origin });
  } finally {
    late.close();
  }
});

it("takes the second URL where the first one does not answer", async () => {
  const second = urlOf(await listen(createServer((_, response) => response.end())));
  expect(await ready(urlOf(await closedPort()), second)).toEqual({ kind: "ready", origin: second.origin });
});

it.each(["http", "https"])("reports a %s URL that cannot be asked instead of throwing", async (protocol) => {
  const port = await listen(createServer());
  expect(await probe(new URL(`${protocol}://%zz@127.0.0.1:${port}/`), 60_000)).toMatchObject({
    kind: "silent",
    error: { message: "URI malformed" },
  });
});
