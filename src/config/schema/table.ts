import { FAULT_KINDS } from "../../model/declare/search/faults.ts";
import { BREADTH_FIRST, STRATEGY_KINDS } from "../../model/declare/search/strategy.ts";
import { STORE_KIND_NAMES, STORE_KINDS } from "../../adapters/store-kinds.ts";
import { REPORT_FORMAT_NAMES } from "../../reports/formats/index.ts";
import type { ChoiceSpec, Field, ListSpec, MapSpec, NumberSpec, SectionSpec, TextSpec, UrlSpec } from "./spec.ts";

/** The maximum for configured times, in seconds. Node's timers take at most 2^31 - 1 milliseconds and fire immediately for larger values. */
const LONGEST = 2_147_483;
/** The maximum number of lanes. A larger number is most likely a typing mistake. */
const MOST_LANES = 1024;

const text: TextSpec = { kind: "text" };
const path: TextSpec = { kind: "text", path: true };
const texts: ListSpec = { kind: "list", of: text };
const httpUrl: UrlSpec = { kind: "url", schemes: ["http", "https"] };
const storeUrl: UrlSpec = { kind: "url", schemes: STORE_KIND_NAMES.flatMap((kind) => STORE_KINDS[kind].schemes) };
const seconds: NumberSpec = { kind: "seconds", above: 0, max: LONGEST };
const secondsOrNone: NumberSpec = { kind: "seconds", min: 0, max: LONGEST };
const atLeastOne: NumberSpec = { kind: "integer", min: 1, max: Number.MAX_SAFE_INTEGER };
const environment: MapSpec = { kind: "map", of: { kind: "loose" }, names: /^[A-Za-z_][A-Za-z0-9_]*$/ };
const headers: MapSpec = { kind: "map", of: { kind: "loose" }, names: /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/ };
const pathOrUrl: TextSpec = {
  kind: "text",
  pattern: { is: /^(?:\/|https?:\/\/[^\s/])/, says: "a path that starts with / or an http or https URL" },
};

const editorUrl: TextSpec = {
  kind: "text",
  pattern: {
    is: /^(?:none|(?!(?:javascript|data|vbscript|blob|file|about):)[a-z][a-z\d+.-]*:\/\/[^\s"'<>]*\{file\}[^\s"'<>]*)$/i,
    says: "none, or the URL of an editor with {file} in it",
    hint: () => "For example, write vscode://file{file}:{line}:{column} or idea://open?file={file}&line={line}.",
  },
};

/**
 * The spec for the name of a header or field whose value is hidden. A path such as `user.email` is rejected, because redaction compares single names.
 */
const fieldName: TextSpec = {
  kind: "text",
  pattern: {
    is: /^[^.[\]*/]+$/,
    says: "the name of one header or field, without a path",
    hint: (value) => {
      const name = value.split(/[.[\]/]+/).findLast((part) => /[^\d\s]/.test(part));
      return name === undefined || name.includes("*")
        ? "Write only the name, and write each name as its own item of the list."
        : `Write ${name}: its values are hidden wherever the name occurs.`;
    },
  },
};

function choice(choices: readonly string[], aliases?: Readonly<Record<string, string>>): ChoiceSpec {
  return aliases === undefined ? { kind: "choice", choices } : { kind: "choice", choices, aliases };
}

function section(fields: Readonly<Record<string, Field>>): SectionSpec {
  return { kind: "section", fields };
}

const systemFields: Readonly<Record<string, Field>> = {
  url: {
    spec: { ...storeUrl, freeWith: "adapter" },
    description:
      "URL of the store. With `target`, it is the template that seqqa copies for each lane. Optional in `systems.db` if `db_url` is set. The query holds the options of a stub or clock: `stub://http?openapi=./payments.yaml`, `clock://libfaketime?probe=/time`.",
    example: "sqlite:./shop.db",
  },
  adapter: {
    spec: {
      kind: "text",
      module: true,
      pattern: {
        is: /^(?:\.{0,2}\/.+|(?:@[\w.~-]+\/)?[\w~-][\w.~-]*(?:\/[\w.~-]+)*)$/,
        says: "the name of a package, or a path such as ./my-store.ts",
      },
    },
    description:
      "A package or module that provides a store adapter for a kind of store that seqqa does not know. `url` may then have any scheme.",
    example: "./my-store.ts",
  },
  options: { spec: { kind: "any" }, description: "Settings that seqqa passes to `adapter` unchanged.", example: { prefix: "shop" } },
  checkpoint: {
    spec: choice(["auto", ...new Set(STORE_KIND_NAMES.flatMap((kind) => STORE_KINDS[kind].checkpoints))]),
    description: "How seqqa saves and restores the state of the store; default: the best way that the store offers.",
    example: "auto",
  },
  isolation: {
    spec: choice([...new Set(STORE_KIND_NAMES.flatMap((kind) => STORE_KINDS[kind].isolations ?? []))]),
    description: "For Redis and BullMQ: whether each lane gets its own server, or its own database index on one server.",
    example: "server",
  },
  tables: { spec: texts, description: "Tables that belong to the state; default: all tables.", example: ["orders"] },
  ignore: {
    spec: texts,
    description:
      "Tables and columns (of Redis: keys, and fields as a message names them) that do not belong to the state; `*` stands for any characters.",
    example: ["audit_*", "*.updated_at"],
  },
  symmetric: {
    spec: texts,
    description:
      "Columns with integer ids, written as `table.column`. seqqa renames their values before it compares states, so that different ids make no difference, and leaves the counters of the columns out.",
    example: ["orders.id"],
  },
};
const systems: MapSpec = { kind: "map", of: section(systemFields), names: /^[A-Za-z_][A-Za-z0-9_-]*$/ };

/** The default list of headers and fields whose values are hidden in reports. */
export const REDACTED: readonly string[] = [
  "authorization",
  "cookie",
  "set-cookie",
  "x-api-key",
  "api_key",
  "password",
  "passwd",
  "token",
  "access_token",
  "refresh_token",
  "secret",
  "client_secret",
];

/** All keys of `seqqa.yaml`. Validation, JSON Schema, example file, documentation and tests are generated from this table. */
export const TABLE: SectionSpec = section({
  base_url: {
    spec: httpUrl,
    description: "URL of a target that already runs. With `target` or `lanes`, reports show this URL in place of the real URL.",
    example: "http://127.0.0.1:3000",
  },
  timeout: { spec: seconds, default: 30, description: "Longest time for one attempt of a request." },
  tls: {
    description: "Certificates that HTTPS connections to the target, and connections to Redis with `rediss:`, trust.",
    spec: section({
      ca_file: {
        spec: path,
        description: "PEM file with certificates of authorities that are trusted in addition to Node's own.",
        example: "./ca.pem",
      },
    }),
  },
  proxy: {
    spec: choice(["none", "environment"]),
    default: "none",
    description: "Whether requests go through the proxies that HTTP_PROXY, HTTPS_PROXY and NO_PROXY name.",
  },
  db_url: {
    spec: storeUrl,
    description:
      "Short for `systems.db.url`. With `target`: the template that seqqa copies for each lane and never changes. Without `target`: the store of the running target, which seqqa restores after the run.",
    example: "sqlite:./shop.db",
  },
  db_backend: {
    spec: choice(STORE_KIND_NAMES, { postgresql: "postgres", mariadb: "mysql" }),
    description: "The kind of the store of `db_url`. It must match the URL, and can be left out.",
    example: "sqlite",
  },
  systems: { spec: systems, description: "Other stores that the API uses, by name." },
  target: {
    description: "How seqqa starts the API under test, once for each lane.",
    spec: section({
      command: {
        spec: text,
        description:
          "Command line that starts the API. seqqa fills in `{port}`, `{lane}`, `{db_url}` and `{db_path}`. For a store of `systems`, it fills in `{url:<name>}`, `{path:<name>}` (the file of a SQLite store), `{host:<name>}`, `{port:<name>}`, `{user:<name>}`, `{password:<name>}` and `{database:<name>}`. The parts of `db_url` are `{db_host}`, `{db_port}`, `{db_user}`, `{db_password}` and `{db_database}`.",
        example: "node server.js",
      },
      env: {
        spec: environment,
        description: "Environment variables of the command. The placeholders of `command` can be used here, too.",
        example: { PORT: "{port}", DB: "{db_path}" },
      },
      cwd: { spec: path, description: "Folder that the command runs in; default: the folder of this file.", example: "." },
      ready: {
        spec: pathOrUrl,
        default: "/",
        description: "Path or URL that seqqa requests repeatedly until the target gives any HTTP answer.",
      },
      ready_timeout: { spec: seconds, default: 30, description: "Longest time until the target answers at `ready`." },
      warm_up: {
        spec: {
          kind: "list",
          of: {
            kind: "either",
            of: [
              {
                kind: "text",
                pattern: {
                  is: /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) +\/\S*$/,
                  says: "a method and a path, such as `GET /health`",
                  hint: () => "A command is written as { command: npm run migrate }.",
                },
              },
              section({
                method: {
                  spec: {
                    kind: "text",
                    pattern: { is: /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/, says: "GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS" },
                  },
                  description: "HTTP method of a request; default: GET.",
                },
                path: { spec: text, description: "Path of a request." },
                headers: {
                  spec: headers,
                  description: "Headers of the request. The placeholders of `target.command` can be used here, too.",
                },
                json: { spec: { kind: "any" }, description: "Body of the request, sent as JSON." },
                command: {
                  spec: text,
                  description:
                    "A command line in place of a request. It can use the placeholders of `target.command`, and has the environment of the target.",
                },
              }),
            ],
          },
        },
        description:
          "Requests and commands that seqqa executes after the target has started, each within `ready_timeout`. Their effects, including new tables, are part of the root state.",
        example: ["GET /health", { method: "POST", path: "/setup", json: { admin: "ada" } }, { command: "npm run migrate" }],
      },
      rollback: {
        spec: choice(["stores", "restart"]),
        default: "stores",
        description:
          "What seqqa restores before it explores another branch: only the stores, or also the target, by a restart of its process.",
      },
      module: {
        spec: path,
        description:
          "A module in place of `command`. Its function `createTarget(lane)` returns a fetch handler, an `http.Server` or `{ fetch, close }`.",
        example: "./app.ts",
      },
      settle: {
        spec: secondsOrNone,
        default: 0,
        description:
          "Time that seqqa waits after each answer, because the target may write after it has answered. 0: seqqa only detects such late writes.",
      },
      idle_watch: {
        spec: secondsOrNone,
        default: 3,
        description:
          "After a write that no step explains, seqqa sends no requests for this time and watches the stores; 0: seqqa does not watch.",
      },
      standby: {
        spec: { kind: "boolean" },
        default: true,
        description:
          "Whether seqqa keeps a spare target running after a lane was lost. Set it to false if the spare target would share something with the lanes, such as a queue.",
      },
    }),
  },
  lanes: {
    description: "Targets that already run, one for each lane.",
    spec: {
      kind: "list",
      of: section({
        base_url: { spec: httpUrl, required: true, description: "URL of the lane's target.", example: "http://127.0.0.1:3001" },
        db_url: { spec: storeUrl, description: "URL of the lane's store.", example: "sqlite:./lane-1.db" },
        systems: { spec: systems, description: "Other stores of the lane, by name." },
      }),
    },
  },
  services: {
    description: "Processes that seqqa starts once for each run, in this order, before the targets.",
    spec: {
      kind: "list",
      of: section({
        name: {
          spec: text,
          required: true,
          description: "Name of the service. The file with its output has this name, too.",
          example: "mail",
        },
        command: { spec: text, required: true, description: "Command line that starts the service.", example: "node mail.js" },
        ready: {
          spec: pathOrUrl,
          description:
            "URL that seqqa requests repeatedly until the service gives any HTTP answer. A path is enough if `env` has a PORT. Without `ready`, seqqa does not wait for the service.",
          example: "http://127.0.0.1:4000/",
        },
        env: { spec: environment, description: "Environment variables of the command.", example: { PORT: "4000" } },
        cwd: { spec: path, description: "Folder that the command runs in.", example: "." },
        ready_timeout: { spec: seconds, default: 30, description: "Longest time until the service answers at `ready`." },
      }),
    },
  },
  compose_file: {
    spec: path,
    description: "Compose file whose containers seqqa starts with `docker compose up --wait` before the run, and removes after it.",
    example: "./compose.yaml",
  },
  retry: {
    description: "Retries of failed requests. Without this section, seqqa retries no request, because a retry can hide a defect.",
    spec: section({
      max_attempts: {
        spec: { kind: "integer", min: 1, max: 100 },
        default: 3,
        description: "Highest number of attempts, including the first one.",
      },
      delay: { spec: secondsOrNone, default: 1, description: "Time before the second attempt." },
      backoff_multiplier: {
        spec: { kind: "number", min: 1, max: 1000 },
        default: 2,
        description: "Factor by which the delay grows from attempt to attempt.",
      },
      max_delay: {
        spec: secondsOrNone,
        default: 30,
        description: "Longest delay between attempts. A longer `Retry-After` is shortened to this time.",
      },
      retry_on_status: {
        spec: { kind: "list", of: { kind: "integer", min: 100, max: 599 } },
        default: [429, 500, 502, 503, 504],
        description: "Statuses of answers after which seqqa sends the request again.",
      },
    }),
  },
  exploration: {
    always: true,
    description: "Settings of explorations. Values that an Agent sets itself take precedence.",
    spec: section({
      strategy: {
        spec: choice(STRATEGY_KINDS),
        default: BREADTH_FIRST,
        description: "The order in which seqqa explores states and actions.",
      },
      max_steps: { spec: atLeastOne, default: 1000, description: "Highest number of executed actions." },
      max_depth: { spec: atLeastOne, description: "Highest number of actions in a path.", example: 6 },
      max_time: {
        spec: seconds,
        description:
          "Time limit for exploring. Afterwards, replaying the findings may take another tenth of this time, at least 5 s and at most 60 s.",
        example: "5m",
      },
      stop_on_first_violation: {
        spec: { kind: "boolean" },
        default: false,
        description: "Whether the exploration ends at its first finding.",
      },
      continue_after_violation: {
        spec: { kind: "boolean" },
        default: false,
        description:
          "Whether seqqa also explores from states that break a rule. Behind such a state, the broken rule is reported again only after a state in which the rule holds.",
      },
      require_all_actions: {
        spec: { kind: "boolean" },
        default: true,
        description:
          "Whether a run counts as unverified (exit code 3) if an action never applied, if the target refused every call of it, or if a rule could check no step of an action that the rule names.",
      },
      seed: {
        spec: { kind: "integer", min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER },
        default: 0,
        description: "Seed of all random choices.",
      },
      server_errors: { spec: choice(["violation", "ignore"]), default: "violation", description: "Whether a 5xx answer is a violation." },
      races: {
        default: "off",
        description:
          "Whether seqqa sends pairs of actions at the same time, to find races. A race is a result that neither order of the two actions gives.",
        spec: {
          kind: "either",
          of: [
            choice(["off", "pairs"]),
            section({
              trials: {
                spec: atLeastOne,
                default: 20,
                description:
                  "Number of trials for each suspect pair. A pair is suspect if one action reads or writes data that the other action writes.",
              },
              delivery: {
                spec: choice(["auto", "http2", "pipelined", "last_byte", "plain", "gated"]),
                default: "auto",
                description:
                  "How seqqa makes requests overlap. With `auto`, seqqa holds a write if a store supports this; otherwise, the protocol of the target decides.",
              },
              copies: {
                spec: { kind: "integer", min: 2, max: 100 },
                default: 2,
                description: "Number of calls that seqqa sends at the same time in one trial.",
              },
              max_time: { spec: seconds, description: "Time limit for finding and confirming races, in total.", example: "5m" },
            }),
          ],
        },
      },
      faults: {
        default: "off",
        description: "Whether seqqa makes database writes of the actions fail, one at a time, and checks the rules afterwards.",
        spec: {
          kind: "either",
          of: [
            choice(["off", "on"]),
            section({
              kinds: {
                spec: { kind: "list", of: choice(FAULT_KINDS) },
                default: [...FAULT_KINDS],
                description:
                  "The kinds of faults: a write raises an error; its connection is cut; the target is killed before the write and restarted; the answer is lost and the client retries.",
              },
              max_time: {
                spec: seconds,
                description: "Time limit for making faults and confirming their findings, in total.",
                example: "5m",
              },
              best_effort: {
                spec: { kind: "list", of: { kind: "text" } },
                default: [],
                description:
                  "Tables, columns, and stores without tables that seqqa does not compare after a fault, because a failed call may change them partly, and a repeated call may change them again, such as `audit_*`, `orders.version` or `payments`.",
              },
            }),
          ],
        },
      },
      rate_limit: {
        spec: { kind: "number", above: 0, max: 1_000_000 },
        description: "Highest number of requests per second, over all lanes. Waiting for this limit does not count for `timeout`.",
        example: 50,
      },
    }),
  },
  parallel: {
    spec: { kind: "either", of: [{ kind: "integer", min: 1, max: MOST_LANES }, choice(["auto"])] },
    default: 1,
    description: "Number of lanes that work at the same time; `auto` is the number of cores.",
  },
  coverage: {
    description:
      "How much of the API a run reached: operations of its OpenAPI description, and lines of its code. These settings change only the reports.",
    spec: section({
      openapi: {
        spec: { kind: "text", path: "or_url" },
        description: "File or URL of the OpenAPI description whose operations and statuses are counted.",
        example: "./openapi.yaml",
      },
      code: {
        spec: { kind: "boolean" },
        default: false,
        description:
          "Whether seqqa measures which lines and branches of a Node target were executed, and writes `lcov.info`. Needs `target.command`.",
      },
      include: {
        spec: texts,
        description: "Globs of the source files to count, from the folder of this file; default: all files below `target.cwd`.",
        example: ["src/**"],
      },
      exclude: { spec: texts, description: "Globs of source files that are not counted.", example: ["src/generated/**"] },
    }),
  },
  report: {
    always: true,
    description: "Reports of a run.",
    spec: section({
      formats: {
        spec: { kind: "list", of: { kind: "choice", choices: REPORT_FORMAT_NAMES, orModule: true } },
        default: ["html", "json"],
        description:
          "Formats of the reports that `seqqa run` writes: `report.html`, `results.json`, `junit.xml`, `results.sarif`, or the output of your own module (`./mine.ts`). With an empty list, seqqa writes no reports and stores no run.",
      },
      output_dir: { spec: path, default: "./reports", description: "Folder of the reports." },
      include_request_response: { spec: { kind: "boolean" }, default: true, description: "Whether reports show requests and responses." },
      editor: {
        spec: editorUrl,
        default: "vscode://file{file}:{line}:{column}",
        description:
          "URL with which the HTML report opens your code in an editor. seqqa fills in `{file}`, `{line}` and `{column}`. `none`: the report has no such links.",
      },
      redact: {
        spec: { kind: "list", of: fieldName },
        default: REDACTED,
        description: "Names of headers and JSON fields. Reports hide their values in headers, bodies, queries, args and context.",
      },
    }),
  },
  fail_on_severity: {
    spec: choice(["critical", "high", "medium", "low", "none"]),
    default: "low",
    description: "The lowest severity that fails the run.",
  },
  known_findings: {
    spec: path,
    description: "File with known findings. Reports show them, but they do not fail the run. `seqqa run --update-known` writes this file.",
    example: "./known.yaml",
  },
});
