import { FAULT_KINDS } from "../../model/declare/faults.ts";
import { BREADTH_FIRST, STRATEGY_KINDS } from "../../model/declare/strategy.ts";
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
    hint: () => "Write for example vscode://file{file}:{line}:{column} or idea://open?file={file}&line={line}.",
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
        ? "Write each name by itself."
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
      "URL of the store; with `target`, of the template that every lane's own store is copied from. Optional in `systems.db` if `db_url` is set. Options of a stub or a clock are in the query: `stub://http?openapi=./payments.yaml`, `clock://libfaketime?probe=/time`.",
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
    description: "A package or a module of your own that provides the store's adapter; `url` may then have any scheme.",
    example: "./my-store.ts",
  },
  options: { spec: { kind: "any" }, description: "Settings for `adapter`, passed on unchanged.", example: { prefix: "shop" } },
  checkpoint: {
    spec: choice(["auto", ...new Set(STORE_KIND_NAMES.flatMap((kind) => STORE_KINDS[kind].checkpoints))]),
    description: "How the store is saved and restored.",
    example: "auto",
  },
  isolation: {
    spec: choice([...new Set(STORE_KIND_NAMES.flatMap((kind) => STORE_KINDS[kind].isolations ?? []))]),
    description: "Redis and BullMQ: whether each lane gets a server or a database index of its own.",
    example: "server",
  },
  tables: { spec: texts, description: "Tables that belong to the state; default: all of them.", example: ["orders"] },
  ignore: {
    spec: texts,
    description: "Tables and columns that do not belong to the state; `*` stands for any characters.",
    example: ["audit_*", "*.updated_at"],
  },
  symmetric: {
    spec: texts,
    description: "Columns with integer ids, as `table.column`; their values are renamed before states are compared.",
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
    description: "URL of a target that already runs; with `target`, only the name shown in reports.",
    example: "http://127.0.0.1:3000",
  },
  timeout: { spec: seconds, default: 30, description: "Time that one attempt of a request may take." },
  tls: {
    description: "Certificates that HTTPS connections to the target trust.",
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
      "Short for `systems.db`. With `target`: the template for every lane's store, which is never written. Without `target`: the running target's own store, which is cleaned up afterwards.",
    example: "sqlite:./shop.db",
  },
  db_backend: {
    spec: choice(STORE_KIND_NAMES, { postgresql: "postgres", mariadb: "mysql" }),
    description: "The kind of store behind `db_url`; must agree with it.",
    example: "sqlite",
  },
  systems: { spec: systems, description: "Further stores behind the API, by name." },
  target: {
    description: "How the API under test is started, once per lane.",
    spec: section({
      command: {
        spec: text,
        description:
          "Command line; `{port}` `{lane}` `{db_url}` `{db_path}` `{db_host}` `{url:<name>}` `{host:<name>}` are filled in; in place of `host`, also `port`, `user`, `password` and `database`.",
        example: "node server.js",
      },
      env: {
        spec: environment,
        description: "Environment variables of the command; the same placeholders are filled in.",
        example: { PORT: "{port}", DB: "{db_path}" },
      },
      cwd: { spec: path, description: "Folder that the command runs in; default: the folder of this file.", example: "." },
      ready: { spec: pathOrUrl, default: "/", description: "Path or URL that is polled until any HTTP answer comes." },
      ready_timeout: { spec: seconds, default: 30, description: "Time that the target may take to get ready." },
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
                  description: "Default: GET.",
                },
                path: { spec: text, description: "Path of a request." },
                headers: { spec: headers, description: "Headers of the request; the placeholders of `target.command` are filled in." },
                json: { spec: { kind: "any" }, description: "Body of the request, sent as JSON." },
                command: {
                  spec: text,
                  description: "In place of a request: a command line, with the placeholders and the environment of `target`.",
                },
              }),
            ],
          },
        },
        description:
          "Requests and commands to execute once the target answers, each within `ready_timeout`. Their effects, including new tables, are part of the root state.",
        example: ["GET /health", { method: "POST", path: "/setup", json: { admin: "ada" } }, { command: "npm run migrate" }],
      },
      rollback: {
        spec: choice(["stores", "restart"]),
        default: "stores",
        description: "What seqqa restores between branches: only the stores, or also the process of the target.",
      },
      module: {
        spec: path,
        description:
          "In place of `command`: a module whose `createTarget(lane)` returns a fetch handler, an `http.Server` or `{ fetch, close }`.",
        example: "./app.ts",
      },
      settle: {
        spec: secondsOrNone,
        default: 0,
        description: "Time to wait for late writes after each answer; 0: do not wait, only watch for them.",
      },
      idle_watch: {
        spec: secondsOrNone,
        default: 3,
        description: "Time to watch stores without sending requests, after a write that no step explains; 0: never.",
      },
      standby: {
        spec: { kind: "boolean" },
        default: true,
        description:
          "Whether to keep one spare target running after a lane was lost. Set to false if the spare target would share something with the lanes, such as a queue.",
      },
    }),
  },
  lanes: {
    description: "Targets that already run, one per lane.",
    spec: {
      kind: "list",
      of: section({
        base_url: { spec: httpUrl, required: true, description: "Where the lane's target answers.", example: "http://127.0.0.1:3001" },
        db_url: { spec: storeUrl, description: "The lane's own store.", example: "sqlite:./lane-1.db" },
        systems: { spec: systems, description: "The lane's further stores." },
      }),
    },
  },
  services: {
    description: "Processes that are started once per run, in this order, before the targets.",
    spec: {
      kind: "list",
      of: section({
        name: { spec: text, required: true, description: "Name of the service, and of its output file.", example: "mail" },
        command: { spec: text, required: true, description: "Command line.", example: "node mail.js" },
        ready: {
          spec: pathOrUrl,
          description:
            "URL (or path, where `env` has a PORT) that is polled until any HTTP answer comes; without it, the service counts as ready once it is started.",
          example: "http://127.0.0.1:4000/",
        },
        env: { spec: environment, description: "Environment variables of the command.", example: { PORT: "4000" } },
        cwd: { spec: path, description: "Folder that the command runs in.", example: "." },
        ready_timeout: { spec: seconds, default: 30, description: "Time that the service may take to get ready." },
      }),
    },
  },
  compose_file: {
    spec: path,
    description: "Brought up with `docker compose up --wait` before the run, and down after it.",
    example: "./compose.yaml",
  },
  retry: {
    description: "Retries of requests. Off without this section: a retry hides the defects that seqqa looks for.",
    spec: section({
      max_attempts: { spec: { kind: "integer", min: 1, max: 100 }, default: 3, description: "Attempts in total." },
      delay: { spec: secondsOrNone, default: 1, description: "Time before the second attempt." },
      backoff_multiplier: { spec: { kind: "number", min: 1, max: 1000 }, default: 2, description: "Factor from one delay to the next." },
      max_delay: { spec: secondsOrNone, default: 30, description: "Longest delay; `Retry-After` is honoured up to it." },
      retry_on_status: {
        spec: { kind: "list", of: { kind: "integer", min: 100, max: 599 } },
        default: [429, 500, 502, 503, 504],
        description: "Statuses that are retried.",
      },
    }),
  },
  exploration: {
    always: true,
    description: "Settings of explorations. An Agent's own values take precedence.",
    spec: section({
      strategy: { spec: choice(STRATEGY_KINDS), default: BREADTH_FIRST, description: "The order of exploration." },
      max_steps: { spec: atLeastOne, default: 1000, description: "Highest number of executed actions." },
      max_depth: { spec: atLeastOne, description: "Length of the longest path.", example: 6 },
      max_time: {
        spec: seconds,
        description: "Time limit for exploring. Replaying findings may take another tenth of it, at least 5 s and at most a minute.",
        example: "5m",
      },
      stop_on_first_violation: { spec: { kind: "boolean" }, default: false, description: "Stop at the first finding." },
      continue_after_violation: {
        spec: { kind: "boolean" },
        default: false,
        description: "Explore onwards from states that violate a rule, too. The rule is reported again only after it has held in between.",
      },
      require_all_actions: {
        spec: { kind: "boolean" },
        default: true,
        description:
          "Whether a run counts as unverified (exit code 3) if an action never applied, or if the target refused every call of it.",
      },
      seed: {
        spec: { kind: "integer", min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER },
        default: 0,
        description: "Seed of all random choices.",
      },
      server_errors: { spec: choice(["violation", "ignore"]), default: "violation", description: "Whether a 5xx answer is a violation." },
      races: {
        default: "off",
        description: "Whether pairs of actions are sent at the same time, and the outcome is compared with the outcomes of both orders.",
        spec: {
          kind: "either",
          of: [
            choice(["off", "pairs"]),
            section({
              trials: {
                spec: atLeastOne,
                default: 20,
                description: "Number of trials for a suspect pair, in which one action reads or writes what the other action writes.",
              },
              delivery: {
                spec: choice(["auto", "http2", "pipelined", "last_byte", "plain", "gated"]),
                default: "auto",
                description:
                  "How requests are made to overlap; `auto`: by holding a write if a store supports it, otherwise by the protocol of the target.",
              },
              copies: { spec: { kind: "integer", min: 2, max: 100 }, default: 2, description: "Requests sent at once." },
              max_time: { spec: seconds, description: "Time limit for probing and confirming races, together.", example: "5m" },
            }),
          ],
        },
      },
      faults: {
        default: "off",
        description: "Whether each write of each kind of call is made to fail, one at a time, in the states that were found.",
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
              max_time: { spec: seconds, description: "Time limit for making faults and confirming findings, together.", example: "5m" },
              best_effort: {
                spec: { kind: "list", of: { kind: "text" } },
                default: [],
                description:
                  "Tables whose content after a failed call may be neither that before the call nor that after it, such as `audit_*`.",
              },
            }),
          ],
        },
      },
      rate_limit: {
        spec: { kind: "number", above: 0, max: 1_000_000 },
        description: "Requests per second over all lanes. Waiting because of this limit does not count as time of a request.",
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
    description: "What of the API a run reached: operations of its OpenAPI description, and its code. It changes nothing else in a run.",
    spec: section({
      openapi: {
        spec: text,
        description: "File or URL of the OpenAPI description whose operations and statuses are counted.",
        example: "./openapi.yaml",
      },
      code: {
        spec: { kind: "boolean" },
        default: false,
        description: "Whether the lines and branches of a Node target are counted and written to `lcov.info`; needs `target.command`.",
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
          "Files that `run` writes: `report.html`, `results.json`, `junit.xml`, `results.sarif`, or what a module of your own renders (`./mine.ts`). With an empty list nothing is written.",
      },
      output_dir: { spec: path, default: "./reports", description: "Folder of the reports." },
      include_request_response: { spec: { kind: "boolean" }, default: true, description: "Whether reports show requests and responses." },
      editor: {
        spec: editorUrl,
        default: "vscode://file{file}:{line}:{column}",
        description:
          "URL with which the HTML report opens lines of your code in an editor; `{file}`, `{line}` and `{column}` are filled in. `none`: no such links, for example in CI.",
      },
      redact: {
        spec: { kind: "list", of: fieldName },
        default: REDACTED,
        description: "Header names and JSON fields whose values are hidden in bodies, queries, args and context.",
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
    description: "File of findings that are shown and do not fail the run; `run --update-known` writes it.",
    example: "./known.yaml",
  },
});
