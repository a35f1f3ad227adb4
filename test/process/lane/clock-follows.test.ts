import { afterAll, afterEach, describe, expect, it } from "vitest";
import { requireClockFollows } from "../../../src/lane/bring-up/clock-follows.ts";
import { setConnectionDefaults } from "../../../src/network/connection-settings.ts";
import { privateAuthority } from "../../support/certificates.ts";
import { closeServers, serve, serveTls } from "../../support/http-servers.ts";

afterEach(() => setConnectionDefaults());
afterAll(closeServers);

/** A clock that the servers of these tests follow. */
function clockOf(probe?: string) {
  let aheadMs = 0;
  return {
    probe,
    aheadMs: () => aheadMs,
    advance: (by: number) => ((aheadMs += by), true),
    mark: () => aheadMs,
    restore: (mark: number) => void (aheadMs = mark),
  };
}

const check = (clock: ReturnType<typeof clockOf>, baseUrl: string): Promise<void> =>
  requireClockFollows({ clock: clock as never }, { baseUrl });

describe("the check that the target follows the clock", () => {
  it("asks a target with https that a private authority certifies", async () => {
    const authority = privateAuthority();
    const clock = clockOf();
    const url = await serveTls(authority, (_request, response) =>
      response.setHeader("date", new Date(Date.now() + clock.aheadMs()).toUTCString()).end(),
    );
    setConnectionDefaults({ ca: [authority.ca], proxy: "none" });
    await check(clock, url);
    expect(clock.aheadMs()).toBe(0);
  });

  it("asks the probe below the path of the base URL", async () => {
    const clock = clockOf("/time");
    const url = await serve(({ url: path }, response) =>
      path === "/api/time" ? response.end(String(Date.now() + clock.aheadMs())) : response.writeHead(404).end(),
    );
    await check(clock, `${url}/api/`);
    expect(clock.aheadMs()).toBe(0);
  });
});
