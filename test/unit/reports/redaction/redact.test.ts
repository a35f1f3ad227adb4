import { describe, expect, it } from "vitest";
import { withoutPasswords } from "../../../../src/config/index.ts";
import { redactor, redactResult, resultJson, jsonText, violationText } from "../../../../src/reports/index.ts";
import { dismissedRace, exchangeOf, race, raceCoverage } from "../../../support/race.ts";
import { result, violation } from "../../../support/results.ts";

const NAMES = ["authorization", "cookie", "set-cookie", "password", "token", "access_token", "secret"];
const hide = redactor(NAMES);

describe("redactor", () => {
  it.each([
    ['{"password":"a","user":"b"}', '{"password":"[redacted]","user":"b"}'],
    ['{"deep":[{"Access-Token":{"x":1}}]}', '{"deep":[{"Access-Token":"[redacted]"}]}'],
    ['{"password":null,"tokens":1}', '{"password":null,"tokens":1}'],
    ['{ "kept":  "as it is" }', '{ "kept":  "as it is" }'],
    ['{"error":"no reply for /login?token=a&b=1"}', '{"error":"no reply for /login?token=[redacted]&b=1"}'],
    ['{"sent":"{\\"password\\":\\"a\\"}"}', '{"sent":"{\\"password\\":\\"[redacted]\\"}"}'],
    ['{"a":1,"token":{"x":["deep", 2]},"list":[{"secret":["a', '{"a":1,"token":"[redacted]","list":[{"secret":"[redacted]"'],
    ["user=b&password=a%20b&secret=", "user=b&password=[redacted]&secret=[redacted]"],
    ['{"password":"cut of', '{"password":"[redacted]"'],
    [
      "said 'a\\npassword: hunter2\\r\\n\\ttoken=abc\\t_secret=d', cut",
      "said 'a\\npassword: [redacted]\\r\\n\\ttoken=[redacted]\\t_secret=[redacted]', cut",
    ],
    ["at C:\\token=abc and 1password=d, not xpassword=e", "at C:\\token=[redacted] and 1password=[redacted], not xpassword=e"],
    ["the password: hunter2, and more", "the password: [redacted], and more"],
    ["no login at postgres://me:pw@db/x?a=1, nor at ftp://me@h", "no login at postgres://[redacted]@db/x?a=1, nor at ftp://[redacted]@h"],
    ["mail me@h or see http://h/a@b", "mail me@h or see http://h/a@b"],
    ['{"list":[{"token":["a1","b2"]},{"token":{"x":1}}]}', '{"list":[{"token":"[redacted]"},{"token":"[redacted]"}]}'],
    ['{"payload":"{\\"password\\":\\"x\\"}"}', '{"payload":"{\\"password\\":\\"[redacted]\\"}"}'],
    ['{"token":"a","token":"b"}', '{"token":"[redacted]"}'],
    ['{"a":{"token":"x"},"a":1}', '{"a":{"token":"[redacted]"},"a":1}'],
    ["user[password]=a&x=1", "user[password]=[redacted]&x=1"],
    ['{"app.password":"x","user[token]":"y","a.xtoken":"z"}', '{"app.password":"[redacted]","user[token]":"[redacted]","a.xtoken":"z"}'],
    ["user%5Bpassword%5D=a", "user%5Bpassword%5D=[redacted]"],
    ["to=http%3A%2F%2Fh%2F%3Ftoken%3Dabc", "to=http%3A%2F%2Fh%2F%3Ftoken%3D%5Bredacted%5D"],
    ["{'password': 'it''s', b: b'x'}", "{'password': '[redacted]''s', b: b'x'}"],
    ["{'token': b'abc'}", "{'token': b'[redacted]'}"],
    ['{:token=>"abc", "password"=>"x"}', '{:token=>"[redacted]", "password"=>"[redacted]"}'],
    ["Map(1) { 'token' => 'abc' }", "Map(1) { 'token' => '[redacted]' }"],
    ["Authorization: Bearer abc.def\nHost: h", "Authorization: [redacted]\nHost: h"],
    ["Cookie: sid=1; theme=2", "Cookie: [redacted]"],
    ["token: Bearer abc, rest", "token: [redacted], rest"],
    ['is not JSON: "{\\"password\\":\\"x\\", \\"a\\":1"', 'is not JSON: "{\\"password\\":\\"[redacted]\\", \\"a\\":1"'],
    ['{"token": ["a", "b"], cut', '{"token": "[redacted]", cut'],
    ['{"token": ["a", {"b', '{"token": "[redacted]"'],
    ["<user><password>x</password></user>", "<user><password>[redacted]</password></user>"],
    ["see GET /a?b=1&token=abc&c=2 there", "see GET /a?b=1&token=[redacted]&c=2 there"],
    ["password: null, token=undefined", "password: null, token=undefined"],
    ["[redacted]", "[redacted]"],
    ["password: [redacted]hunter2", "password: [redacted]"],
    ["", ""],
    ["plain text", "plain text"],
    ...[
      "refused and changed the stores: db.token: 1 row removed; db.password: 12 rows added, 1 changed",
      "password: the target answered 200 the first time, but 400 now",
      "token: POST /tokens was answered 201 the first time and 500 the second time",
      "password: breaks rejected_means_unchanged on one path, but no rule on the other path",
      "password: broke no rule the first time, but a, b now",
      "token: a row of tokens went from used to open",
    ].map((sentence): [string, string] => [sentence, sentence]),
    ["password: 1 row, token: breaks rules, secret: POST", "password: [redacted] row, token: [redacted] rules, secret: [redacted]"],
  ])("body %j -> %j", (body, expected) => {
    expect(hide.body(body)).toBe(expected);
  });

  it("hides the named parts of a multipart body, and named fields in the others", () => {
    const part = (name: string, content: string, more = ""): string =>
      `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${content}\r\n`;
    const file = '; filename="f"\r\nContent-Type: text/plain';
    const body = `${part("user", "me")}${part("Password", "one\r\n\r\ntwo", file)}${part("meta", '{"token":"t","a":1}')}--b--\r\n`;
    expect(hide.body(body)).toBe(
      `${part("user", "me")}${part("Password", "[redacted]", file)}${part("meta", '{"token":"[redacted]","a":1}')}--b--\r\n`,
    );
  });

  it("hides the variable that a GraphQL request passes to a hidden argument, and not its name", () => {
    const query = 'mutation($pw: String!) { login(email: "a@b", password: $pw) { id } }';
    const shown = hide.body(JSON.stringify({ query, variables: { pw: "S3cretValue99", email: "a@b" } }));
    expect(shown).not.toContain("S3cretValue99");
    expect(JSON.parse(shown)).toMatchObject({ variables: { pw: "[redacted]", email: "a@b" } });
    expect(hide.body("mutation($pw: String!)")).toContain("$pw");
  });

  it("hides headers in any case, query parameters and the user part of a URL", () => {
    expect(hide.headers({ AUTHORIZATION: "x", "Set-Cookie": "y", accept: "z" })).toEqual({
      AUTHORIZATION: "[redacted]",
      "Set-Cookie": "[redacted]",
      accept: "z",
    });
    expect(hide.url("http://me:pw@h/a?token=1&b=2&access%5Ftoken=3")).toBe(
      "http://[redacted]@h/a?token=[redacted]&b=2&access%5Ftoken=[redacted]",
    );
    expect(hide.url("http://h/a")).toBe("http://h/a");
  });

  it.each([
    ["context.token.deep[0].kept = 1", "context.token.deep[0].kept = [redacted]"],
    ['context."a token".x = "b"', 'context."a token".x = "b"'],
    [
      '- systems.db.users + {id: #1, password: {x: "y, }"}, name: "token=a"}',
      '- systems.db.users + {id: #1, password: [redacted], name: "token=[redacted]"}',
    ],
    ['systems.cache.value = Set{"a", {"secret": [1, 2], b: 3}}', 'systems.cache.value = Set{"a", {"secret": "[redacted]", b: 3}}'],
    ['systems.db.log + {text: "{\\"token\\":\\"cut o... (900 characters, 1f)"}', 'systems.db.log + {text: "{\\"token\\":\\"[redacted]"}'],
    ['systems.db.users + {password: "never en', 'systems.db.users + {password: "[redacted]"'],
    ["... and 12 more lines", "... and 12 more lines"],
    ['node: "cart"', 'node: "cart"'],
    [
      '+ systems.db.users + {id: 1, password: "x, }", token: #1, a: null}',
      '+ systems.db.users + {id: 1, password: "[redacted]", token: [redacted], a: null}',
    ],
    ['- context.user.password = "x"', "- context.user.password = [redacted]"],
    ['context.token[0].id = "x"', "context.token[0].id = [redacted]"],
    ['context."set-cookie" = "x"', 'context."set-cookie" = [redacted]'],
    ["context.token = null", "context.token = null"],
    ['context.user = "token"', 'context.user = "token"'],
    ['systems.db.log + {line: "{\\"secret\\":\\"x\\"}"}', 'systems.db.log + {line: "{\\"secret\\":\\"[redacted]\\"}"}'],
    ["| listening, token=abc", "| listening, token=[redacted]"],
    // The options of a cookie in a session of express-session are no secrets. Anything else named `cookie` is.
    ...[
      'systems.s.string + {key: #1, value: JSON {"cookie": {"expires": <now + 1 h>, "httpOnly": true, "originalMaxAge": 3600000, "path": "/"}, "user": 1}}',
      'systems.db.s + {data: "{\\"cookie\\":{\\"originalMaxAge\\":null,\\"expires\\":null,\\"path\\":\\"/\\"}}"}',
      "context.session.cookie.expires = <now + 1 h>",
      "rejected_means_unchanged  db.token: 1 row removed, 2 added; db.password: 1,200 rows changed",
    ].map((line) => [line, line]),
    [
      'systems.s.string + {value: JSON {"cookie": {"path": "/", "value": "s1"}}}',
      'systems.s.string + {value: JSON {"cookie": "[redacted]"}}',
    ],
    ['context.cookie.sid = "x"', "context.cookie.sid = [redacted]"],
    ["token: 12 rowboats", "token: [redacted] rowboats"],
  ])("state line %j -> %j", (line, expected) => {
    expect(hide.line(line)).toBe(expected);
    expect(hide.line(expected)).toBe(expected);
  });

  it("hides a value that was hidden once wherever else it stands, but for what is too short or too plain", () => {
    const one = redactor(NAMES);
    one.body('{"token":"a1b2c3d4e5","password":"correct horse battery","secret":["12345678"]}');
    one.headers({
      "set-cookie": "sid=s3ss10n-id; Path=/; HttpOnly, b=other-one-1",
      cookie: "c=in-cookie-1",
      Authorization: "Bearer ey.J0.abc",
    });
    one.body('{"password":"abc","secret":"customer"}');
    const said = "a1b2c3d4e5, /s3ss10n-id?x=in-cookie-1 with correct horse battery: 12345678, other-one-1 ey.J0.abc.";
    expect(one.body(said)).toBe("[redacted], /[redacted]?x=[redacted] with [redacted]: [redacted], [redacted] [redacted].");
    expect(one.url("http://h/s3ss10n-id/customer")).toBe("http://h/[redacted]/customer");
    expect(one.body("abc customer HttpOnly a1b2c3d4e5f6")).toBe("abc customer HttpOnly a1b2c3d4e5f6");
  });

  it.each([
    ["got Bearer abc.DEF-123_x/y+z== from 10.0.0.7", "got Bearer [redacted] from 10.0.0.7"],
    ["curl -H 'Basic YW5uOnNlY3JldA=='", "curl -H 'Basic [redacted]'"],
    ["issued sid=s%3Aabcdef.123; Path=/; HttpOnly", "issued sid=[redacted]; Path=/; HttpOnly"],
    ["user eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl logged in", "user [redacted] logged in"],
    ["Basic authentication is off, bearer tokens are on", "Basic authentication is off, bearer tokens are on"],
    ["mode=fastest; level=3", "mode=fastest; level=3"],
  ])("hides what is a credential by its form: %s", (text, shown) => {
    const { body } = redactor(["authorization", "set-cookie", "token"]);
    expect(body(text)).toBe(shown);
    expect(redactor([]).body(text)).toBe(text);
  });

  it("hides nothing when no name is given", () => {
    expect(redactor([]).body('{"password":"a"}')).toBe('{"password":"a"}');
  });
});

describe("a result", () => {
  const all = result({ violations: [violation()] });

  it("has no secret left in it", () => {
    const text = jsonText(resultJson(redactResult(all, { redact: NAMES, includeRequestResponse: true })));
    for (const secret of ["Bearer abc", "pw-1", "sid=1", "token=abc", "t-1"]) expect(text).not.toContain(secret);
    expect(text).toContain('\\"refunded\\":200');
  });

  it("has none in what user code threw", () => {
    const said = "no login with token=t-2 at mysql://me:pw-2@db";
    const error = { code: "ACTION_THREW", message: said, path: [], source: "log_in", stack: `Error: ${said}`, count: 1 };
    const text = jsonText(resultJson(redactResult({ ...all, errors: [error] }, { redact: NAMES, includeRequestResponse: true })));
    expect(text).toContain('"message": "no login with token=[redacted] at mysql://[redacted]@db"');
    for (const secret of ["t-2", "pw-2"]) expect(text).not.toContain(secret);
  });

  it("is searched in no time, however long a word is", () => {
    for (const one of ["a", "\\", "'", "[", "=", "a=", "<a>", "token:", "a.", "- "]) {
      const word = one.repeat(200_000);
      const begun = performance.now();
      withoutPasswords(word);
      hide.body(word);
      hide.line(word);
      expect(performance.now() - begun, JSON.stringify(one)).toBeLessThan(4000);
    }
  });

  it("has no body left in it where requests and responses are left out, also where seqqa's own errors quote one", () => {
    const exchange = {
      request: { method: "GET", url: "http://h/", headers: {}, body: "sent-it" },
      response: { status: 200, headers: {}, body: "got-it" },
      durationMs: 1,
    };
    const found = violation({
      checks: [exchange],
      steps: [{ action: "a", status: 200, requests: [exchange], changes: ["+ context.a = 1"] }],
      curl: "curl -d sent-it",
    });
    const error = {
      code: "NOT_JSON",
      message: 'The body of GET http://h/ (status 200) is not JSON: "got-it \\"x\\" more".',
      path: [],
      source: "a",
      count: 1,
    };
    const hidden = redactResult({ ...all, violations: [found], errors: [error] }, { redact: NAMES, includeRequestResponse: false });
    const text = jsonText(hidden.toJSON());
    expect(text).not.toMatch(/sent-it|got-it|http:..h.",/);
    expect(text).toContain("is not JSON: [not shown].");
    expect(text).toContain("+ context.a = 1");
  });

  it("can leave requests and responses out", () => {
    const [shown] = redactResult(all, { redact: NAMES, includeRequestResponse: false }).violations;
    expect(shown).toMatchObject({
      request: undefined,
      response: undefined,
      steps: [{ action: "refund_order", status: 200, requests: [] }],
    });
    expect(String(shown)).toBe(violationText(violation({ request: undefined, response: undefined })));
  });
});

describe("a race", () => {
  const secret = "hunter2-of-ann-77";
  const sent = exchangeOf("POST", `/login?token=${secret}`, 200, `{"password":"${secret}","user":"ann"}`, `{"password":"${secret}"}`);
  const call = { action: "login", status: 200, requests: [sent] };
  const outcome = { order: null, calls: [call, call], changes: [`+ users (password = ${secret})`, `+ log (text = ${secret})`], broken: [] };
  const found = race({
    message: `said ${secret}`,
    observed: outcome,
    allowed: [{ ...outcome, order: [0, 1] }],
    steps: [{ action: "login", status: 200, requests: [sent], changes: [`+ log (text = ${secret})`] }],
    requests: [sent.request, sent.request],
    schedule: { system: "db", held: 0, write: 1, statement: `UPDATE ${secret}` },
  });

  it("has nothing of a secret anywhere: requests, answers, states, text, script", () => {
    const shown = redactResult(result({ races: [found] }), { redact: NAMES, includeRequestResponse: true });
    expect(JSON.stringify(shown)).not.toMatch(/hunter2|Bearer abc/);
    expect(shown.races[0]!.curl).toContain("SECRET_TOKEN");
    expect(String(shown.races[0])).toContain("POST http://127.0.0.1:3000/login?token=[redacted] -> 200");
  });

  it("has nothing of a secret where it was dismissed, either", () => {
    const coverage = raceCoverage({ dismissedRaces: [dismissedRace({ message: `said ${secret}`, observed: outcome })] });
    const shown = redactResult(result({ raceCoverage: coverage }), { redact: NAMES, includeRequestResponse: true });
    expect(JSON.stringify(shown)).not.toMatch(/hunter2|Bearer abc/);
    expect(shown.raceCoverage).toMatchObject({
      dismissed: { control: 2 },
      dismissedRaces: [{ reason: "control", observed: { calls: [{ status: 200 }, {}] } }],
    });
    const without = redactResult(result({ raceCoverage: coverage }), { redact: NAMES, includeRequestResponse: false });
    expect(JSON.stringify(without)).not.toMatch(/hunter2|login\?|ann/);
    expect(without.raceCoverage!.dismissedRaces![0]!.observed.calls.map(({ requests }) => requests)).toEqual([[], []]);
  });

  it("keeps its statuses and states, and none of its requests, where those are left out", () => {
    const shown = redactResult(result({ races: [found] }), { redact: NAMES, includeRequestResponse: false }).races[0]!;
    expect(JSON.stringify(shown)).not.toMatch(/hunter2|login\?|ann/);
    expect(shown).toMatchObject({ requests: [], curl: undefined, steps: [{ status: 200, requests: [] }] });
    expect(shown.observed).toMatchObject({
      calls: [
        { status: 200, requests: [] },
        { status: 200, requests: [] },
      ],
    });
    expect(String(shown)).toContain("  first     login -> 200\n");
  });
});
