import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { emptyFolder, root, seqqa, start, until } from "../support/e2e.ts";

const RUN = ["run", "fixtures/demo", "--races", "off", "--max-steps", "60"];

describe("the page of a run", () => {
  it("is served with its token until Ctrl-C, which ends the command with the status of the run", async () => {
    const output = emptyFolder();
    const { child, said, ended } = start([...RUN, "--output", output, "--ui"]);
    const address = /^The page of this run: (http:\/\/127\.0\.0\.1:\d+\/)\?token=([0-9a-f]{32})$/m;
    await until(() => address.test(said.stderr), "the page is served");
    const [, page, token] = address.exec(said.stderr)!;
    const answer = await fetch(`${page}?token=${token}`);
    expect([answer.status, answer.headers.get("content-security-policy")]).toEqual([200, expect.stringContaining("default-src 'none'")]);
    expect((await fetch(page!)).status).toBe(403);
    await until(() => said.stdout.includes("FAILED"), "the run has ended");
    // A lane is closed before the command ends.
    const lane = await fetch(`${page}api/lane?token=${token}`, { method: "POST", body: '{"exploration":0,"path":["create_order"]}' });
    const { uses } = (await lane.json()) as { readonly uses: readonly string[] };
    child.kill("SIGINT");
    expect(await ended).toMatchObject({ status: 1, signal: null });
    await expect(fetch(uses[0]!)).rejects.toThrow("fetch failed");
  });

  it("of a stored run opens lanes from any folder", async () => {
    const output = emptyFolder();
    await seqqa([...RUN, "--output", output]);
    const { child, said, ended } = start(["ui", "--output", output, "--config", join(root, "fixtures/demo/seqqa.yaml")], {
      cwd: emptyFolder(),
    });
    const address = /^The page of this run: (\S+\/)\?token=([0-9a-f]{32})$/m;
    await until(() => address.test(said.stderr), "the page is served");
    const [, page, token] = address.exec(said.stderr)!;
    const lane = await fetch(`${page}api/lane?token=${token}`, { method: "POST", body: '{"exploration":0,"path":["create_order"]}' });
    expect(await lane.json()).toMatchObject({ uses: expect.any(Array) as unknown });
    child.kill("SIGINT");
    await ended;
  });

  it.each([
    [
      [...RUN, "--ui", "--port", "http"],
      'Invalid --port value "http".\nhint: Give a number from 0 to 65535. With 0, seqqa uses any free port.',
    ],
    [[...RUN, "--port", "8080"], "--port can only be used together with --ui.\nhint: Remove --port, or add --ui."],
    [["ui", "--output", emptyFolder()], /^error: No run is stored in \S+\.\nhint: Start a run with seqqa run <directory>, or [^\n]*\n$/],
  ])("is refused with one sentence: %j", async (args, why) => {
    const { status, stdout, stderr } = await seqqa(args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    if (typeof why === "string") expect(stderr).toBe(`error: ${why}\n`);
    else expect(stderr).toMatch(why);
  });
});
