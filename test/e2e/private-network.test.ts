import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { laneCounts } from "../sizes.ts";
import { privateAuthority } from "../support/certificates.ts";
import { atEnd } from "../support/at-end.ts";
import { documentOf, folderWith, only, root, seqqa, startNode, until } from "../support/e2e.ts";
import { forwardProxy } from "../support/forward-proxy.ts";

/** A counter up to 3 that saves itself, behind TLS. */
const COUNTER = `import { createServer } from "node:https";
import { readFileSync } from "node:fs";
let count = 0;
const saved = [];
createServer({ key: readFileSync("key.pem"), cert: readFileSync("cert.pem") }, async (request, response) => {
  let text = "";
  for await (const chunk of request) text += chunk;
  if (request.url === "/__seqqa/checkpoint") return response.end(JSON.stringify({ id: saved.push(count) }));
  if (request.url === "/__seqqa/rollback") count = saved[JSON.parse(text).id - 1];
  if (request.url === "/up") count = Math.min(3, count + 1);
  response.end(JSON.stringify({ count }));
}).listen(process.env.PORT, "127.0.0.1");
`;

const exploration = (path: string): string => `import { Action, Agent, World } from "seqqa";
import { RemoteAdapter } from "seqqa/adapters/remote";
export const agent = new Agent({
  name: "there",
  world: (lane) => new World({ systems: { app: new RemoteAdapter({ url: lane.baseUrl + "/__seqqa" }) } }),
  actions: [new Action({ name: "up", run: (api) => api.post("${path}") })],
  invariants: [],
});
`;

/** A proxy that nobody may ask: nothing listens there. */
const NOBODY = { HTTP_PROXY: "http://127.0.0.1:9", HTTPS_PROXY: "http://127.0.0.1:9" };

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

describe("a target with a certificate of a private authority", () => {
  const { ca, cert, key } = privateAuthority();
  const target = "target:\n  command: node counter.mjs\n  ready: https://127.0.0.1:{port}/\n";
  const files = { "ca.pem": ca, "cert.pem": cert, "key.pem": key, "counter.mjs": COUNTER, "there.explore.js": exploration("/up") };

  it.each(laneCounts)("is explored on %s lanes with tls.ca_file, and past the proxies of the environment", async (parallel) => {
    const cwd = folderWith({ ...files, "seqqa.yaml": `tls: { ca_file: ./ca.pem }\n${target}` });
    const ran = await seqqa(["run", ".", "--parallel", parallel, "--reporter", "json", "--output", "out"], { cwd, env: NOBODY });
    expect({ status: ran.status, stderr: ran.stderr }).toEqual({ status: 0, stderr: "" });
    expect(only(documentOf(ran))).toMatchObject({ statesVisited: 4, transitions: 4, divergences: [], errors: [] });
  });

  it("ends at once without it, and the error says what to do", async () => {
    const cwd = folderWith({ ...files, "seqqa.yaml": target });
    const ran = await seqqa(["run", ".", "--output", "out"], { cwd, timeoutMs: 25_000 });
    expect(ran.status).toBe(3);
    expect(ran.stderr).toMatch(/TLS failure, the certificate is not trusted: the target at https:\/\/127\.0\.0\.1:\d+\/ gave no answer/);
    expect(ran.stderr).toContain("tls.ca_file");
  });

  it.each([
    ["./none.pem", /seqqa\.yaml:1:17: The file .*none\.pem of tls\.ca_file does not exist\./],
    ["./key.pem", /seqqa\.yaml:1:17: The file .*key\.pem of tls\.ca_file holds no certificate in PEM/],
  ])("is not started when tls.ca_file is %s", async (file, message) => {
    const cwd = folderWith({ ...files, "seqqa.yaml": `tls: { ca_file: ${file} }\n${target}` });
    const ran = await seqqa(["run", "."], { cwd });
    expect(ran.status).toBe(2);
    expect(ran.stderr).toMatch(message);
  });
});

describe("targets that only a proxy reaches", () => {
  it("are explored on two lanes with proxy: environment, and not reached without", async () => {
    const proxy = await forwardProxy("user:s3cret");
    atEnd(() => proxy.close());
    const ports = await Promise.all(["a", "b"].map(freePort));
    for (const port of ports) startNode([join(root, "fixtures/remote/server.mjs")], { env: { PORT: String(port) } });
    for (const port of ports)
      await until(async () => (await fetch(`http://127.0.0.1:${port}/sold`).catch(() => undefined))?.ok === true, "a running server");
    const lanes = `lanes:\n${ports.map((port, index) => `  - base_url: http://lane${index}.test:${port}\n`).join("")}parallel: 2\n`;
    const env = { HTTP_PROXY: `http://user:s3cret@127.0.0.1:${proxy.port}`, NO_PROXY: "" };
    const files = { "there.explore.js": exploration("/seats/1/reserve") };

    const without = await seqqa(["run", ".", "--output", "out"], { cwd: folderWith({ ...files, "seqqa.yaml": lanes }), env });
    expect({ status: without.status, asked: proxy.asked }).toEqual({ status: 3, asked: [] });

    const cwd = folderWith({ ...files, "seqqa.yaml": `proxy: environment\n${lanes}` });
    const ran = await seqqa(["run", ".", "--reporter", "json", "--output", "out"], { cwd, env });
    expect({ status: ran.status, stderr: ran.stderr }).toEqual({ status: 0, stderr: "" });
    expect(only(documentOf(ran))).toMatchObject({ statesVisited: 2, transitions: 2, divergences: [], errors: [] });
    for (const [index, port] of ports.entries()) {
      expect(proxy.asked).toContain(`GET http://lane${index}.test:${port}/`);
      expect(proxy.asked).toContain(`POST http://lane${index}.test:${port}/__seqqa/checkpoint`);
    }
    expect(ran.stdout + ran.stderr + without.stdout + without.stderr).not.toContain("s3cret");
  });
});
