import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Connection } from "../../../../src/adapters/redis/connect/driver.ts";
import { redisPlace } from "../../../../src/adapters/redis/connect/redis-url.ts";
import { FaultProxy } from "../../../../src/adapters/redis/faults/fault-proxy.ts";
import { RedisAdapter } from "../../../../src/adapters/redis/index.ts";
import { setConnectionDefaults } from "../../../../src/network/connection-settings.ts";
import { answers, freePort, program } from "../../../support/services/service.ts";
import { otherRuns } from "../../../support/other-run.ts";

let directory: string;
let port: number;
let child: ChildProcess;
const runs = otherRuns("redis", () => ({ NODE_EXTRA_CA_CERTS: join(directory, "cert.pem") }));

function installed(name: string): string {
  const path = program(name);
  if (path === undefined) throw new Error(`These tests need the program ${name}: apt-get install ${name}`);
  return path;
}

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "seqqa-redis-tls-"));
  const [key, cert] = [join(directory, "key.pem"), join(directory, "cert.pem")];
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  execFileSync(
    installed("openssl"),
    ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", key, "-out", cert, ...subject],
    {
      stdio: "pipe",
    },
  );
  port = await freePort();
  const tls = ["--tls-port", String(port), "--port", "0", "--tls-cert-file", cert, "--tls-key-file", key, "--tls-ca-cert-file", cert];
  child = spawn(installed("redis-server"), [...tls, "--tls-auth-clients", "no", "--save", "", "--requirepass", "s3cret"], {
    stdio: "ignore",
  });
  while (!(await answers(port))) await new Promise((resolve) => setTimeout(resolve, 20));
});
afterAll(() => {
  child.kill("SIGKILL");
  rmSync(directory, { recursive: true, force: true });
});

test("rediss: connects with TLS, and puts back", async () => {
  const run = runs.start(`
    const system = new RedisAdapter({ url: "rediss://:s3cret@localhost:${port}/0" });
    await system.open({ name: "db", laneIndex: 0, inProcess: false, borrowed: false });
    const mark = await system.mark();
    await stores.disturb("rediss://:s3cret@localhost:${port}/0");
    const seen = await system.changed(mark);
    await system.restore(mark);
    say([seen, await system.changed(mark), await system.dump()]);`);
  expect(await run.said()).toEqual([true, false, ""]);
});

test("a certificate in tls.ca_file is trusted, also by the proxy that makes writes fail", async () => {
  setConnectionDefaults({ ca: [readFileSync(join(directory, "cert.pem"), "utf8")], proxy: "none" });
  try {
    const system = new RedisAdapter({ url: `rediss://:s3cret@localhost:${port}/0` });
    await system.open({ name: "db", laneIndex: 0, inProcess: false, borrowed: false });
    await system.close();
    const proxy = await FaultProxy.start(redisPlace(`rediss://:s3cret@localhost:${port}/0`));
    const client = await Connection.open(proxy.place);
    expect(String(await client.bytes("PING"))).toBe("PONG");
    client.close();
    proxy.close();
  } finally {
    setConnectionDefaults();
  }
});

test("a certificate that is not trusted is refused", async () => {
  const system = new RedisAdapter({ url: `rediss://:s3cret@localhost:${port}/0` });
  await expect(system.open({ name: "db", laneIndex: 0, inProcess: false, borrowed: false })).rejects.toMatchObject({
    code: "STORE_UNREACHABLE",
    message: expect.stringMatching(/self-signed certificate/) as string,
    hint: expect.stringMatching(/^Set tls\.ca_file in seqqa\.yaml/) as string,
  });
});
