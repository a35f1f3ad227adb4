import { Redis } from "ioredis";
import { expect, it } from "vitest";
import { size, some } from "../sizes.ts";
import { privateAuthority } from "../support/certificates.ts";
import {
  coordinator,
  countersIn,
  endings,
  found,
  locally,
  ownSecureRedis,
  said,
  SECRET,
  textsIn,
  worker,
  workerHere,
} from "../support/cluster.ts";
import { atEnd } from "../support/at-end.ts";
import { emptyFolder, seqqa, until } from "../support/e2e.ts";

const PASSWORD = "pass-word-of-the-queue";

it("goes through a Redis with TLS and a password; what does not fit is refused, and no secret is told", { timeout: 300_000 }, async () => {
  const authority = privateAuthority();
  const { url: bare } = await ownSecureRedis(authority, PASSWORD);
  const url = bare.replace("//", `//:${PASSWORD}@`);
  const trusting = { "ca.pem": authority.ca, "seqqa.yaml": "tls: { ca_file: ./ca.pem }\n" };
  const [directory, stranger] = [countersIn(["counters"], trusting), countersIn(["counters"])];
  // The driver's ready check asks on the connection that is monitoring already, and takes what is monitored for its answer.
  const client = new Redis(url, { tls: { ca: authority.ca }, maxRetriesPerRequest: null, enableReadyCheck: false });
  const sent: string[] = [];
  const monitor = await client.monitor();
  monitor.on("monitor", (_time: string, args: readonly string[]) => sent.push(args.join(" ")));
  atEnd(() => [client, monitor].forEach((one) => one.disconnect()));

  const all = ["--max-steps", String(size(100, 400))];
  const output = emptyFolder();
  const workers = some([["--verbose"], ["--parallel", "2"]], 1).map((args) => worker({ url, directory, args }));
  await until(() => workers.every((one) => said(one).includes("Waiting for a distributed run")), "that they wait", 60_000);
  const run = coordinator({ url, directory, args: [...all, "--output", output, "--verbose"] });
  expect([(await run.ended).status, await endings(workers)]).toEqual([0, workers.map(() => 0)]);
  expect(workers.map(said).join("")).toMatch(/this worker finished [1-9]/);
  expect(found(output)).toEqual(found(await locally(directory, all, {})));
  expect(found(output)).toMatchObject([{ stopReason: "max_steps" }]);
  expect(sent.join("\n")).toContain("seqqa-run:");

  const at = `${bare}/0`;
  const untrusted = `TLS failure, the certificate is not trusted (${at}).\nhint: Set tls.ca_file in seqqa.yaml to the PEM file of the authority`;
  const forbidden = `Access refused (${at}).\nhint: Put the user and the password into the Redis URL`;
  const refusals = [
    [untrusted, stranger, url],
    [forbidden, directory, url.replace(PASSWORD, "wrong-word")],
  ] as const;
  const refused = await Promise.all(
    refusals.flatMap(([says, folder, to]) =>
      [
        seqqa(["run", folder, "--distributed", to, "--output", emptyFolder()], { env: { SEQQA_SECRET: SECRET } }),
        workerHere({ url: to, directory: folder }),
      ].map(async (ran) => ({ says, ended: await ran })),
    ),
  );
  for (const { says, ended } of refused) {
    const sentence = expect.stringContaining(`error: seqqa cannot connect to the Redis server of the distributed run: ${says}`) as string;
    expect(ended).toMatchObject({ status: 3, stdout: "", stderr: sentence });
    expect(ended.stderr.match(/^error: /gm)).toHaveLength(1);
  }
  const outputs = [run, ...workers].map(said).concat(refused.map(({ ended }) => ended.stdout + ended.stderr));
  for (const text of [...outputs, ...textsIn(output), sent.join("\n")])
    for (const secret of [SECRET, PASSWORD, "wrong-word"]) expect(text).not.toContain(secret);
});
