import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import type { RecordedExchange } from "../../../../src/model/results/result.ts";
import { curlScript } from "../../../../src/reports/curl/curl-script.ts";
import { printing, quoted } from "../../../../src/reports/curl/shell-text.ts";
import { redactor } from "../../../../src/reports/index.ts";
import { runScript, type RanScript } from "../../../support/run-script.ts";
import { closeServers, serve } from "../../../support/http-servers.ts";

const folder = mkdtempSync(join(tmpdir(), "seqqa-curl-"));
afterEach(closeServers);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const HOSTILE = `'; touch pwned; '$(touch pwned)\`touch pwned\`"\\%s%n\n\r\0\u001b[31m\ud800</script>`;

const exchange = (url: string, status: number, body: string, more: Partial<RecordedExchange["request"]> = {}): RecordedExchange => ({
  request: { method: "POST", url: `http://127.0.0.1:9${url}`, headers: {}, ...more },
  response: { status, headers: {}, body },
  durationMs: 1,
});

const finding = (...requests: readonly RecordedExchange[]): Parameters<typeof curlScript>[0] => ({
  id: "f00d",
  invariant: HOSTILE,
  severity: "high",
  message: HOSTILE,
  reproductionPath: requests.map(() => HOSTILE),
  steps: requests.map((one) => ({ action: HOSTILE, status: one.response?.status ?? null, requests: [one] })),
});

it("whatever is in names, requests and answers is data to the shell", () => {
  const headers = { "content-type": "application/json", "x-hostile": HOSTILE };
  const hostile = finding(
    exchange("/a", 201, JSON.stringify({ id: HOSTILE, [HOSTILE]: HOSTILE }), { headers, body: JSON.stringify({ [HOSTILE]: HOSTILE }) }),
    exchange(`/a/${encodeURIComponent("'$(touch pwned)'")}?q=';touch%20pwned;'`, 200, HOSTILE, { body: HOSTILE, headers }),
  );
  const script = curlScript(hostile, redactor([]))!;
  writeFileSync(join(folder, "script.sh"), script);
  // Nothing answers at that port: 2. Everything before that was parsed and executed.
  const run = (): string => execFileSync("sh", ["script.sh"], { cwd: folder, encoding: "utf8", stdio: "pipe" });
  expect(run).toThrow(expect.objectContaining({ status: 2 }) as Error);
  execFileSync("sh", ["-n", "script.sh"], { cwd: folder });
  expect(() => execFileSync("test", ["-e", "pwned"], { cwd: folder })).toThrow();
  expect(script).not.toMatch(/[\0\r\u001b\ud800-\udfff]/);
});

it("prints texts byte for byte", () => {
  for (const text of [HOSTILE, "plain 'quoted'", "ünïcode \u{1f600}", "%s\\n", "-n", "--b\r\nx", "-\u0001", ""]) {
    const bytes = execFileSync("sh", ["-c", printing([text])]);
    expect(bytes.toString("hex")).toBe(Buffer.from(text, "utf8").toString("hex"));
    expect(execFileSync("sh", ["-c", `printf '%s' ${quoted(text)}`]).toString()).toBe(Buffer.from(text.replaceAll("\0", "")).toString());
  }
});

it("takes ids from answers and tokens, too, and asks for what is hidden and came from nowhere", () => {
  const login = exchange("/login", 200, '{"token":"t0ken-1234567"}', { body: '{"user":"ann","password":"hunter2-of-ann-77"}' });
  const create = exchange("/orders", 201, '{"id":7,"amount":100}', {
    headers: { authorization: "Bearer t0ken-1234567" },
    body: '{"amount":100}',
  });
  const pay = exchange("/orders/7/pay", 200, '{"id":7}', {
    headers: { authorization: "Bearer t0ken-1234567", "x-note": "hunter2-of-ann-77" },
  });
  const hide = redactor(["password", "token", "authorization"]);
  // Reports hide twice: what is a secret is known when all of it was seen.
  hide.request(login.request);
  const script = curlScript(finding(login, create, pay), hide)!;
  expect(script).not.toMatch(/hunter2-of-ann-77|t0ken-1234567/);
  expect(script).toContain(`v1=$(helper json "$dir/1.body" '["token"]')`);
  expect(script).toContain(`v2=$(helper json "$dir/2.body" '["id"]')`);
  expect(script).toContain(`send 3 'POST' "$BASE_URL"'/orders/'"$(helper uri "$v2")"'/pay' --header 'authorization: Bearer '"$v1"`);
  expect(script).toContain('"${SECRET_PASSWORD+set}"');
  // A number that only looks alike is the user's own.
  expect(script).toContain(`printf '%s' '{"amount":100}'`);
});

it("waits for the next second between steps if the target compares times in whole seconds", () => {
  const steps = [exchange("/login", 200, "{}"), exchange("/password", 204, ""), exchange("/login", 200, "{}")];
  const waits = (script: string | undefined): number => script!.split("\nsleep 1\n").length - 1;
  expect(waits(curlScript({ ...finding(...steps), nextSecond: true }, redactor([])))).toBe(2);
  expect(waits(curlScript(finding(...steps), redactor([])))).toBe(0);
});

it("there is none without requests over HTTP", () => {
  expect(curlScript(finding(), redactor([]))).toBeUndefined();
  const inMemory: RecordedExchange = { request: { method: "", url: "", headers: {} }, durationMs: 0 };
  expect(curlScript(finding(inMemory), redactor([]))).toBeUndefined();
});

it("takes ids from answers that are sent within longer texts", () => {
  const id = "c18785a0-b916-4047-97d2-d4b69a503847";
  const create = exchange("/carts", 201, JSON.stringify({ data: { cart: { id, token: "abcdef0123456789abcd" } }, short: "a1b2c3d4" }));
  const add = exchange(`/carts/cart:${id}/add?of=urn%3Acart%3A${id}`, 200, "{}", {
    headers: { "x-by": `cart=${id}; part` },
    body: JSON.stringify({ cart: `/carts/${id}/lines`, by: "<abcdef0123456789abcd>", kept: "<a1b2c3d4>" }),
  });
  const script = curlScript(finding(create, add), redactor(["token"]))!;
  const second = script.slice(script.indexOf("# The recorded answers") - 1500, script.indexOf("# The recorded answers"));
  expect(second).not.toMatch(/c18785a0|abcdef01/);
  expect(second).toContain(`"$BASE_URL"'/carts/cart:'"$v1"'/add?of=urn%3Acart%3A'"$v1"`);
  expect(second).toContain(`--header 'x-by: cart='"$v1"'; part'`);
  expect(second).toContain(
    `'{"cart":"/carts/'; printf '%s' "$v1"; printf '%s' '/lines","by":"<'; printf '%s' "$v2"; printf '%s' '>","kept":"<a1b2c3d4>"}'`,
  );
  expect(script).not.toContain("SECRET_");
});

it("says so where values that reports do not show were not compared", () => {
  const read = finding(exchange("/carts/1", 200, '{"n":3}'));
  const told = (names: readonly string[]): string => /answers as recorded([^']*)'; exit 1/.exec(curlScript(read, redactor(names))!)![1]!;
  expect([told([]), told(["n"])]).toEqual([".", ", except for values that reports do not show."]);
});

it("does not say of what only the stores show that it still fails", () => {
  const one = { ...finding(exchange("/a", 422, "{}")), invariant: "leakage" };
  const script = curlScript(one, redactor([]))!;
  expect(script).toContain("Only the stores show whether leakage still fails: seqqa replay f00d checks them");
  expect(script).not.toContain("Still fails");
  expect(curlScript({ ...one, invariant: "mine" }, redactor([]))).toContain("Still fails: mine");
});

/** Runs the script of a finding against a server that gives these answers, by method and path. Returns what it was sent, too. */
async function against(
  one: Parameters<typeof curlScript>[0],
  answers: Readonly<Record<string, readonly [status: number, body: string] | undefined>>,
  env: Readonly<Record<string, string>> = {},
): Promise<RanScript & { readonly seen: readonly string[] }> {
  const seen: string[] = [];
  const url = await serve((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += String(chunk)));
    request.on("end", () => {
      const line = `${request.method} ${request.url}`;
      seen.push(`${line}${request.headers["x-user-id"] === undefined ? "" : ` as ${String(request.headers["x-user-id"])}`} ${body}`.trim());
      const [status, text] = answers[line] ?? [404, "{}"];
      if (status === 0) return void response.destroy();
      response.writeHead(status).end(text.replaceAll("BASE", `http://${request.headers.host}`));
    });
  });
  const ran = await runScript(folder, curlScript({ ...one, invariant: "rule", message: "broken" }, redactor([]))!, {
    BASE_URL: url,
    ...env,
  });
  return { ...ran, seen };
}

const unanswered = (url: string, more: Partial<RecordedExchange["request"]> = {}, durationMs = 1): RecordedExchange => ({
  request: exchange(url, 0, "", more).request,
  error: "no answer",
  durationMs,
});

describe("is not tried, and ends with 2,", () => {
  it("if no answer is recorded and nothing listens", async () => {
    const dead = { ...finding(unanswered("/boom")), invariant: "target_crashed" };
    expect(await runScript(folder, curlScript(dead, redactor([]))!, {})).toMatchObject({ status: 2 });
    expect(await against(finding(unanswered("/boom")), { "POST /boom": [0, ""] })).toMatchObject({ status: 1 });
  });

  it.each([
    ["bytes", "PNG\ufffd\u0001"],
    [
      "a file",
      '--b\r\nContent-Disposition: form-data; name="f"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n<12 bytes>\r\n--b--\r\n',
    ],
  ])("if a body was not recorded: %s", async (_, body) => {
    const { status, out, seen } = await against(finding(exchange("/a", 200, "{}"), exchange("/pictures", 200, "{}", { body })), {});
    expect({ status, seen }).toEqual({ status: 2, seen: [] });
    expect(out).toContain("has a body of bytes that reports do not contain");
  });

  it("if neither the last step nor the rule sent a request", async () => {
    const create = finding(exchange("/orders", 201, '{"id":1}'));
    const clock = {
      ...create,
      reproductionPath: ["create", "expire"],
      steps: [...create.steps, { action: "expire", status: null, requests: [] }],
    };
    const { status, out } = await against(clock, { "POST /orders": [201, '{"id":1}'] });
    expect(out).toContain("seqqa replay f00d");
    expect(status).toBe(2);
  });

  it("if seqqa refused the answer, and curl gets one", async () => {
    const invalid = { ...finding(unanswered("/zip")), invariant: "invalid_http_answer" };
    const script = curlScript(invalid, redactor([]))!;
    const url = await serve((_request, response) => void response.end("ok"));
    const { status, out } = await runScript(folder, script, { BASE_URL: url });
    expect(out).toContain("seqqa replay f00d");
    expect(status).toBe(2);
  });
});

it("sends paths as recorded, to no proxy, and waits as long as the run did for an answer that did not come", async () => {
  const path = "/files/../admin";
  expect(
    await against(finding(exchange(path, 200, "{}")), { [`POST ${path}`]: [200, "{}"] }, { http_proxy: "http://127.0.0.1:9" }),
  ).toMatchObject({
    status: 1,
    seen: [`POST ${path}`],
  });
  const slow = { ...finding(unanswered("/slow", {}, 1234)), invariant: "slow_timeout" };
  expect(curlScript(slow, redactor([]))).toContain(`--max-time "\${TIMEOUT:-1.3}"`);
});

it("compares no body after HEAD, of which curl writes the headers in its place", async () => {
  const head = finding(exchange("/orders/1", 200, "", { method: "HEAD" }));
  expect(await against(head, { "HEAD /orders/1": [200, ""] })).toMatchObject({ status: 1, seen: ["HEAD /orders/1"] });
  expect(await against(head, { "HEAD /orders/1": [404, ""] })).toMatchObject({ status: 0 });
});

describe("takes a value only from an answer about the same thing", () => {
  const order = (sent: string): RecordedExchange => exchange("/orders", 201, '{"id":1}', { body: sent, headers: { "x-user-id": "1" } });
  const made = { "POST /orders": [201, '{"id":5}'] } as const;

  it("and not from one about another thing that happens to have the same number", async () => {
    const path = finding(
      order('{"amount":100}'),
      exchange("/customers/1", 200, "{}", { method: "GET" }),
      exchange("/payments", 200, "{}", { body: '{"customer_id":1,"order_id":1}', headers: { "x-user-id": "1" } }),
    );
    const { seen } = await against(path, { ...made, "GET /customers/1": [200, "{}"], "POST /payments": [200, "{}"] });
    expect(seen.slice(1)).toEqual(["GET /customers/1", 'POST /payments as 1 {"customer_id":1,"order_id":5}']);
  });

  it("and not if the value was sent before", async () => {
    const path = finding(order('{"owner":{"id":1}}'), exchange("/owner", 200, "{}", { body: '{"owner":{"id":1}}' }));
    expect((await against(path, { ...made, "POST /owner": [200, "{}"] })).seen[1]).toBe('POST /owner {"owner":{"id":1}}');
  });

  it("and from one that does not say what it is about", async () => {
    const path = finding(exchange("/signup", 201, '{"id":1}'), exchange("/users/1", 200, "{}"));
    expect((await against(path, { "POST /signup": [201, '{"id":5}'], "POST /users/5": [200, "{}"] })).seen[1]).toBe("POST /users/5");
  });
});

describe("compares answers except for ids, times and the URL of the API:", () => {
  const create = exchange("/orders", 201, '{"id":137}');
  const refund = (body: string): Parameters<typeof curlScript>[0] => finding(create, exchange("/orders/137/refund", 200, body));
  const status = async (recorded: string, now: string): Promise<number | null> =>
    (await against(refund(recorded), { "POST /orders": [201, '{"id":1}'], "POST /orders/1/refund": [200, now] })).status;

  it.each([
    ["ids of two kinds", '{"id":137,"customer_id":1}', '{"id":1,"customer_id":1}'],
    ["another id beside the same one", '{"id":1,"customer_id":1}', '{"id":2,"customer_id":1}'],
    ["ids that are strings", '{"id":"137","ref":"ORD-000137","orderID":137}', '{"id":"1","ref":"ORD-000001","orderID":1}'],
    ["ids in paths and texts", '{"self":"/orders/137","message":"order 137 is paid"}', '{"self":"/orders/1","message":"order 1 is paid"}'],
    ["URLs of the API", '{"self":"http://127.0.0.1:9/orders/137"}', '{"self":"BASE/orders/1"}'],
    ["URLs of the API in text", "see http://127.0.0.1:9/about", "see BASE/about"],
    ["long numbers", '{"id":9007199254740993,"of":9007199254740993}', '{"id":9007199254740995,"of":9007199254740995}'],
  ])("%s", async (_, recorded, now) => {
    expect(await status(recorded, now)).toBe(1);
  });

  it.each([
    ["one id for two", '{"items":[{"id":1},{"id":2}]}', '{"items":[{"id":1},{"id":1}]}'],
    ["another number", '{"id":137,"refunded":200}', '{"id":1,"refunded":100}'],
    ["another number in a text", '{"message":"refunded 200"}', '{"message":"refunded 100"}'],
    ["another order", '{"order_id":137,"parent_order":{"id":137}}', '{"order_id":1,"parent_order":{"id":null}}'],
    ["long numbers that differ", '{"total":9007199254740993}', '{"total":9007199254740992}'],
  ])("differs in %s", async (_, recorded, now) => {
    expect(await status(recorded, now)).toBe(0);
  });
});

it("takes and sends numbers with all their digits", async () => {
  const path = finding(
    exchange("/orders", 201, '{"id":9007199254740993}'),
    exchange("/orders/9007199254740993/pay", 200, "{}", { body: '{"order_id":9007199254740993,"by":9007199254740997}' }),
  );
  const { seen } = await against(path, { "POST /orders": [201, '{"id":9007199254740995}'] });
  expect(seen[1]).toBe('POST /orders/9007199254740995/pay {"order_id":9007199254740995,"by":9007199254740997}');
});

it.each([
  ["a variable of GraphQL", JSON.stringify({ query: "mutation($pw:String!){login(password:$pw){id}}", variables: { pw: "hunter2" } })],
  ["an argument of GraphQL", JSON.stringify({ query: 'mutation{login(password:"hunter2"){id}}' })],
  ["JSON in JSON", JSON.stringify({ n: 1, data: '{"password":"hunter2","a":1}' })],
  ["JSON in a form", `data=${encodeURIComponent('{"password":"hunter2","a":1}')}&n=1`],
])("asks for a short secret in %s, and sends it where it was", async (_, body) => {
  const login = { ...finding(exchange("/login", 200, "{}", { body })), invariant: "rule", message: "broken" };
  const script = curlScript(login, redactor(["password"]))!;
  expect(script).not.toContain("hunter2");
  const name = /\{(SECRET_\w+)\+set\}/.exec(script)![1]!;
  let sent = "";
  const url = await serve((request, response) => {
    request.on("data", (chunk) => (sent += String(chunk)));
    request.on("end", () => void response.end("{}"));
  });
  expect(await runScript(folder, script, { BASE_URL: url, [name]: "hunter2" })).toMatchObject({ status: 1 });
  expect(sent).toBe(body);
});

it("asks for the part of a header after its scheme, which the script writes itself", () => {
  const one = exchange("/orders", 201, "{}", { headers: { authorization: "Bearer hunter2-of-ann-77" } });
  const script = curlScript(finding(one), redactor(["authorization"]))!;
  expect(script).toContain('Set SECRET_AUTHORIZATION to the text after "Bearer " in the header authorization in step 1');
  expect(script).toContain(`--header 'authorization: Bearer '"$SECRET_AUTHORIZATION"`);
});

it("asks for a short secret in a header that is not hidden as a whole", () => {
  const one = exchange("/login", 200, "{}", { headers: { "x-form": "password=hunter2&a=1" } });
  expect(curlScript(finding(one), redactor(["password"]))).not.toContain("hunter2");
});
