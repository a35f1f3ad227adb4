import { describe, expect, it } from "vitest";
import { failure, load } from "./files.ts";

describe("a broken file", () => {
  it.each([
    ["an open list", "timeout: 3\nreport: { formats: [json }\n", "CONFIG_YAML", /^seqqa\.yaml:2:\d+: this is not valid YAML: /],
    ["a tab", "target:\n\tcommand: x\n", "CONFIG_YAML", /^seqqa\.yaml:2:\d+: /],
    ["two documents", "timeout: 3\n---\ntimeout: 4\n", "CONFIG_YAML", /^seqqa\.yaml:\d+:\d+: /],
    [
      "a duplicate key",
      "timeout: 3\nparallel: 2\ntimeout: 4\n",
      "CONFIG_DUPLICATE_KEY",
      /^seqqa\.yaml:3:1: the key "timeout" appears twice\.$/,
    ],
    [
      "a duplicate key further in",
      "exploration:\n  seed: 1\n  seed: 2\n",
      "CONFIG_DUPLICATE_KEY",
      /^seqqa\.yaml:3:3: the key "seed" appears twice\.$/,
    ],
    ["a list", "- timeout\n", "CONFIG_TYPE", /^seqqa\.yaml:1:1: the file does not contain keys with values\.$/],
    ["a sentence", "hello\n", "CONFIG_TYPE", /^seqqa\.yaml:1:1: /],
    ["an unknown anchor", "timeout: *nothing\n", "CONFIG_YAML", /^seqqa\.yaml:1:10: /],
    ["an unknown tag", "timeout: !python/object 3\n", "CONFIG_YAML", /^seqqa\.yaml:1:\d+: /],
    ["a key that is a list", "? [a, b]\n: 3\n", "CONFIG_YAML", /^seqqa\.yaml:1:\d+: /],
    ["a value that is missing", "timeout:\nparallel: 2\n", "CONFIG_TYPE", /^seqqa\.yaml:1:1: timeout has no value; /],
    [
      "braces without quotes",
      "target:\n  command: x\n  env: { PORT: {port} }\n",
      "CONFIG_TYPE",
      /^seqqa\.yaml:3:16: target\.env\.PORT is a section; /,
    ],
  ])("%s", (_name, yaml, code, message) => {
    const error = failure(yaml);
    expect(error.message).toMatch(message);
    expect(error.code).toBe(code);
    expect(error.exitStatus).toBe(2);
    expect(error.message).not.toContain("\n");
  });

  it.each([
    ["user.password", "password"],
    ["users[0].token", "token"],
    ["users.0", "users"],
    ["$.data.api_key", "api_key"],
    ["/user/password", "password"],
    ["password[]", "password"],
  ])("a path where a field is to be named: %s", (name, field) => {
    const error = failure(`report:\n  redact: [token, "${name}"]\n`);
    expect([error.code, error.exitStatus]).toEqual(["CONFIG_RANGE", 2]);
    expect(error.message).toBe(
      `seqqa.yaml:2:19: report.redact[1] is "${name}"; it must be the name of one header or field, without a path.`,
    );
    expect(error.hint).toBe(`Write ${field}: its values are hidden wherever the name occurs.`);
  });

  it.each(["x-*", "*", "user.*", "."])("names that are to stand for several: %s", (name) => {
    const error = failure(`report:\n  redact: ["${name}"]\n`);
    expect(error.message).toMatch(/^seqqa\.yaml:2:12: report\.redact\[0\] is /);
    expect(error.hint).toBe("Write only the name, and write each name as its own item of the list.");
  });

  it("takes any other name to hide", () => {
    const redact = ["X-Api-Key", "set-cookie", "pass_word", "@token", "mot de passe", "пароль", "$secret"];
    expect(load(`report: { redact: ${JSON.stringify(redact)} }\n`).report.redact).toEqual(redact.map((name) => name.toLowerCase()));
  });

  it("shows the line with a mark under the place", () => {
    expect(failure("timeout: 3\nparallel: 2\ntimeout: 4\n").hint).toBe("3 | timeout: 4\n    ^");
  });

  it("does not blow up on aliases that repeat each other, or on themselves", () => {
    const bomb = [
      "a: &a [x,x,x,x,x,x,x,x,x,x]",
      ..."bcdefgh".split("").map((name, index) => `${name}: &${name} [${Array(10).fill(`*${"abcdefgh"[index]}`).join(",")}]`),
    ];
    const started = Date.now();
    expect(failure(bomb.join("\n")).code).toMatch(/^CONFIG_/);
    expect(failure("target: &t\n  env: *t\n").code).toMatch(/^CONFIG_/);
    expect(Date.now() - started).toBeLessThan(5000);
  });

  it.each([
    ["open brackets", `timeout: ${"[".repeat(50_000)}`],
    ["closed brackets", `timeout: ${"[".repeat(30_000)}${"]".repeat(30_000)}`],
    ["maps in a line", `target: ${"{a: ".repeat(40_000)}`],
    ["lists in a line", `${"- ".repeat(50_000)}x`],
    ["keys in a line", "? ".repeat(50_000)],
    ["indented maps", Array.from({ length: 600 }, (_, index) => `${" ".repeat(index)}a:`).join("\n")],
  ])("nested without end is an error and not the end of the process: %s", (_name, yaml) => {
    expect(failure(yaml)).toMatchObject({
      code: "CONFIG_YAML",
      message: expect.stringMatching(/^seqqa\.yaml:\d+:\d+: the values of the file are nested too deeply/),
    });
  });

  it("is refused when it is far too big", () => {
    expect(failure(`# ${"x".repeat(300_000)}`).message).toBe(
      "seqqa.yaml: the file has 300002 bytes, but a configuration may have at most 256000.",
    );
  });

  it("may be empty, may start with a byte order mark, and may use anchors", () => {
    expect(load("").timeout).toBe(30);
    expect(load("# nothing\n").timeout).toBe(30);
    expect(load("\ufefftimeout: 5\r\nparallel: 1\r\n").timeout).toBe(5);
    expect(load("timeout: &t 7\ntarget: { command: x, ready_timeout: *t }").target?.readyTimeout).toBe(7);
  });

  it("has its passwords kept out of messages", () => {
    for (const yaml of [
      "db_url: nonsense://me:p4ss@h/x",
      "db_url: postgres://me:p4ss@h/x",
      "base_url: ftp://me:p4ss@h",
      "base_url: http://me:p4ss@h/?q",
    ]) {
      const error = failure(yaml);
      expect(`${error.message} ${error.hint ?? ""}`).not.toContain("p4ss");
    }
  });
});

describe("races", () => {
  it.each([
    ["exploration: { races: all }", "exploration.races"],
    ["exploration: { races: { trials: 0 } }", "exploration.races"],
    ["exploration: { races: { copies: 1 } }", "exploration.races"],
    ["exploration: { races: { delivery: udp } }", "exploration.races"],
  ])("%s", (yaml, message) => {
    const error = failure(yaml);
    expect(error.exitStatus).toBe(2);
    expect(error.message).toContain(message);
  });
});

describe("stores on other machines", () => {
  it.each([
    "db_url: postgres://u:p4ss@db.example.com/shop",
    "db_url: mysql://db.example.com/prices",
    "systems: { a: { url: redis://cache.example.com/2 } }",
    "lanes: [{ base_url: http://h, db_url: postgres://10.0.0.7/shop }]",
    "db_url: postgres://127.0.0.1.example.com/shop",
    "db_url: postgres://localhost/shop?host=db.example.com",
    "db_url: postgres://db.example.com",
    // Words are whole ones.
    "db_url: postgres://h.example.com/DevShop",
    "db_url: postgres://h.example.com/latest",
    "db_url: postgres://h.example.com/attested_civil_devices",
  ])("%s is refused", (yaml) => {
    const error = failure(yaml);
    expect(error).toMatchObject({ code: "STORE_NOT_ALLOWED", exitStatus: 2 });
    expect(`${error.message} ${error.hint}`).not.toContain("p4ss");
  });

  it.each([
    "db_url: postgres://localhost/shop",
    "db_url: postgres://127.0.0.1:5433/shop",
    "db_url: postgres://[::1]/shop",
    "db_url: postgres:///shop?host=/var/run/postgresql",
    "db_url: mysql://h.example.com/shop_test",
    "db_url: mysql://h.example.com/ci-shop",
    "db_url: postgres://h.example.com/shop.DEV2",
    "systems: { a: { url: redis://redis-test.example.com/2 } }",
  ])("%s is taken", (yaml) => {
    expect(() => load(yaml)).not.toThrow();
  });
});

describe("stores that are used where they are", () => {
  it.each([
    ["base_url: http://h\ndb_url: postgres://u:p4ss@localhost/shop", "shop"],
    ["base_url: http://h\ndb_url: mysql://127.0.0.1/latest", "latest"],
    ["base_url: http://h\ndb_url: sqlite:/srv/test/shop.db", "shop.db"],
    ["base_url: http://h\nsystems: { cache: { url: redis://127.0.0.1:6379/3 } }", "127.0.0.1/3"],
    ["base_url: http://h\nsystems: { cache: { url: redis://localhost } }", "localhost/0"],
    ["lanes: [{ base_url: http://h, db_url: 'sqlite:my shop.db' }]", "my shop.db"],
  ])("%s is refused, with the flag to paste", (yaml, name) => {
    const error = failure(yaml);
    expect(error).toMatchObject({ code: "STORE_NOT_ALLOWED", exitStatus: 2 });
    expect(error.message).toContain(`the store "${name}", which seqqa would use in place`);
    expect(error.hint).toContain(`--allow-db ${name.includes(" ") ? `'${name}'` : name} or set SEQQA_ALLOW_DB`);
    expect(`${error.message} ${error.hint}`).not.toContain("p4ss");
    expect(load(yaml, { allowedStores: [name] }).allowedStores).toEqual([name]);
    expect(load(yaml, { env: { SEQQA_ALLOW_DB: `other, ${name}` } }).allowedStores).toEqual(["other", name]);
    expect(failure(yaml, { allowedStores: ["other"] }).code).toBe("STORE_NOT_ALLOWED");
    // A command that opens no store asks for nothing.
    expect(() => load(yaml, { allowedStores: "unopened" })).not.toThrow();
  });

  it.each([
    "base_url: http://h\ndb_url: postgres://localhost/shop_test",
    "base_url: http://h\ndb_url: sqlite:/srv/shop.test.db",
    "base_url: http://h\ndb_url: mysql://localhost/ci7",
    "target: { command: x }\ndb_url: postgres://localhost/shop",
    "target: { command: x }\ndb_url: sqlite:shop.db",
  ])("%s is taken", (yaml) => {
    expect(() => load(yaml)).not.toThrow();
  });

  it("are never permitted by the file", () => {
    expect(failure("base_url: http://h\ndb_url: sqlite:shop.db\nallow_db: shop.db").code).toBe("CONFIG_UNKNOWN_KEY");
  });
});

describe("values that contradict each other", () => {
  it.each([
    ["target: { cwd: . }", "`target` contains neither `command` nor `module`"],
    ["target: { command: a, module: ./b.ts }", "cannot be used together"],
    ["target: { module: ./b.ts, rollback: restart }", "with target.module seqqa starts no process of the target"],
    ["target: { command: a }\nlanes: [{ base_url: http://h }]", "`lanes` lists running targets"],
    ["db_url: sqlite:a.db\nsystems: { db: { url: sqlite:b.db } }", "db_url and systems.db.url are the URLs of different stores"],
    ["systems: { a: { url: sqlite:a.db, checkpoint: dump } }", "is dump, but seqqa cannot use this checkpoint with sqlite stores"],
    ["systems: { a: { url: sqlite:a.db, isolation: index } }", "isolation works only with redis and bullmq stores"],
    ["base_url: http://h\nsystems: { a: { url: amqp://h/test } }", "rabbitmq server belongs to a target that already runs"],
    ["lanes: [{ base_url: http://h, systems: { a: { url: nats://h } } }]", "nats server belongs to a target that already runs"],
    ["base_url: http://h\ncoverage: { code: true }", "a target that it does not start (target.command is not set)"],
    ["lanes: [{ base_url: http://h }]\ncoverage: { code: true }", "a target that it does not start (target.command is not set)"],
    ["target: { module: ./b.ts }\ncoverage: { code: true }", "a target.module, which runs in the process of seqqa"],
    ["db_backend: mysql", "db_backend is mysql, but db_url is not set"],
    ["target: { module: x.mjs, ready: /health }", "target.ready works only with target.command"],
    ["base_url: http://h\nparallel: 2", "`parallel` is 2, but base_url gives only one running target"],
    ["lanes: [{ base_url: http://h }]\nparallel: 2", "`lanes` lists only 1"],
    ["lanes: []", "empty list"],
    ["lanes: [{ base_url: http://h }, { base_url: http://h/ }]", "the same base_url"],
    ["lanes: [{ base_url: http://h }]\ndb_url: sqlite:a.db", "db_url cannot be used together with `lanes`"],
    ["services: [{ name: a, command: x }, { name: A, command: y }]", "services[0] and services[1] are both named A"],
    ["services: [{ name: ../mail, command: x }]", 'services[0].name is "../mail". This name cannot be used as a file name'],
    ["services: [{ name: mail, command: x, ready: /health }]", "but seqqa does not know the port of the service mail"],
    [
      "services: [{ name: mail, command: x, ready: /health, env: { PORT: '{port}' } }]",
      "but seqqa does not know the port of the service mail",
    ],
    [
      "target: { command: 'x {url:adit}' }\nsystems: { audit: { url: sqlite:a.db } }",
      "{url:adit} refers to the store adit, which is not in `systems`.",
    ],
    ["target: { command: x, env: { A: '{PORT}' } }", "{PORT} is not a placeholder."],
    ["target: { command: 'x {dbUrl}' }", "{dbUrl} is not a placeholder."],
    ["target: { command: 'x {file:audit}' }\nsystems: { audit: { url: sqlite:a.db } }", "{file:audit} is not a placeholder."],
    [
      "target: { command: 'x {path:cache}' }\nsystems: { cache: { url: redis://h } }",
      "needs a path in the URL of the store, but this URL has no path",
    ],
    ["target: { command: 'x {host:adit}' }\nsystems: { audit: { url: sqlite:a.db } }", "{host:adit} refers to the store adit"],
    ["target: { command: 'x {db_host}' }", "{db_host} refers to the store db, but db_url is not set"],
    [
      "target: { command: 'x {host:audit}' }\nsystems: { audit: { url: sqlite:a.db } }",
      "needs a host in the URL of the store, but this URL has no host",
    ],
    [
      "target: { command: x, env: { A: '{db_password}' } }\ndb_url: postgres://localhost/shop",
      "needs a password in the URL of the store, but this URL has no password",
    ],
  ])("%s", (yaml, message) => {
    const error = failure(yaml);
    expect(error.message).toContain(message);
    expect(error.code).toBe("CONFIG_COMBINATION");
    expect(error.message).toMatch(/^seqqa\.yaml:\d+:\d+: /);
  });

  it("names a key of thousands of letters by its beginning", () => {
    const { message } = failure(`target: { command: x, env: { ${"a".repeat(20_000)}: [1] } }`);
    expect(message).toMatch(/target\.env\.a{80,}\.\.\. /);
    expect(message.length).toBeLessThan(300);
  });

  it("leaves braces of the shell and of the user alone", () => {
    const command = "x {a,b} {x:y} {other} {db_hosts} { PORT } {path:audit}";
    expect(load(`target: { command: '${command}' }\nsystems: { audit: { url: sqlite:a.db } }`).target?.command).toBe(command);
  });

  it.each([
    ["target.command", "target:\n  command: x {db_password}\n", 2],
    ["target.env", "target:\n  command: x\n  env:\n    A: a\n    B: '{db_password}'\n", 5],
    ["target.warm_up", "target:\n  command: x\n  warm_up: [{ command: 'x {db_password}' }]\n", 3],
  ])("names the line of a placeholder in %s", (_key, target, line) => {
    const { message } = failure(`${target}db_url: postgres://localhost/shop\n`);
    expect(message).toMatch(new RegExp(`^seqqa\\.yaml:${line}:\\d+: The placeholder \\{db_password\\} needs a password`));
  });

  it("asks for --no-infra when a flag names a running target beside one to start", () => {
    const flags = [{ key: "base_url", flag: "--base-url", value: "http://h" }];
    const yaml = "target: { command: x }";
    expect(failure(yaml, { flags }).hint).toContain("--no-infra");
    expect(load(yaml, { flags, noInfra: true })).toMatchObject({ baseUrl: "http://h", target: undefined });
    expect(load(`${yaml}\nbase_url: http://h`).target?.command).toBe("x");
    expect(load("target: { module: ./api.ts }", { flags, noInfra: true })).toMatchObject({ baseUrl: "http://h", target: undefined });
  });

  it("refuses a flag or variable that names another target than `lanes`", () => {
    const flags = [{ key: "base_url", flag: "--base-url", value: "http://h" }];
    const env = { SEQQA_BASE_URL: "http://h" };
    const lanes = "lanes: [{ base_url: http://a }, { base_url: http://b }]";
    for (const yaml of [lanes, `${lanes}\nbase_url: http://c`]) {
      expect(failure(yaml, { flags }).message).toBe(
        "--base-url: base_url is the URL of one running target, but the configuration also contains `lanes`, which lists the running targets.",
      );
      expect(failure(yaml, { env }).message).toMatch(/^SEQQA_BASE_URL: base_url is the URL of one running target/);
    }
    expect(failure(`target: { command: x }\n${lanes}`, { flags, noInfra: true }).code).toBe("CONFIG_COMBINATION");
    // In the file, base_url only says which URL reports show.
    expect(load(`${lanes}\nbase_url: http://c`)).toMatchObject({ baseUrl: "http://c" });
  });

  it("with --no-infra needs to know where the target is and refuses to touch a template", () => {
    const noInfra = true;
    for (const target of ["target: { command: x }", "target: { module: ./api.ts }"])
      expect(failure(target, { noInfra }).message).toContain("no URL is set");
    const yaml = "target: { command: x }\nbase_url: http://h\ndb_url: sqlite:a.db";
    expect(failure(yaml, { noInfra }).message).toContain("--no-infra cannot use db_url here");
    expect(load(yaml, { noInfra, env: { SEQQA_DB_URL: "sqlite:/b.test.db" } }).dbUrl).toBe("sqlite:/b.test.db");
    const restart = "target: { command: x, rollback: restart }\nbase_url: http://h";
    expect(load(restart).target?.rollback).toBe("restart");
    expect(failure(restart, { noInfra }).message).toContain("with --no-infra seqqa starts no process of the target");
    const systems = "target: { command: x }\nbase_url: http://h\nsystems: { a: { url: sqlite:a.db } }";
    expect(failure(systems, { noInfra }).message).toContain("--no-infra cannot use `systems` here");
    const infra = "base_url: http://h\nservices: [{ name: a, command: b }]\ncompose_file: c.yaml";
    expect(load(infra)).toMatchObject({ services: [{ name: "a", readyTimeout: 30 }], composeFile: expect.stringMatching(/\/c\.yaml$/) });
    expect(load(infra, { noInfra })).toMatchObject({ services: [], composeFile: undefined });
  });
});
