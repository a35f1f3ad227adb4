import { request as httpRequest, validateHeaderName, validateHeaderValue } from "node:http";
import { request as httpsRequest } from "node:https";
import { setTimeout as delay } from "node:timers/promises";
import { SeqqaError } from "../../model/errors.ts";
import { shellWord } from "../../model/text/shell-word.ts";
import { secureContext } from "../../network/secure-context.ts";
import { lastLines, quoted } from "../process/output-tail.ts";
import { fill, type Filling } from "../lanes/placeholders.ts";
import type { WarmUp } from "../target-config.ts";
import { TargetProcess } from "../process/target-process.ts";
import { withoutSecrets } from "../../model/text/url-secrets.ts";

const PAUSE_MS = 200;
/** The methods of the requests that are repeated when the target is restarted on stores that already contain the effects of the warm-up. */
const READS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);
/** The maximum number of characters of an answer that a message about a refused request shows. */
const SHOWN = 300;

export interface WarmUpContext {
  readonly steps: readonly WarmUp[];
  /**
   * `true` if the stores contain the effects of an earlier warm-up, because only the target's process was restarted. Commands and writing requests
   * are then left out. Default: `false`.
   */
  readonly onlyReads?: boolean | undefined;
  readonly baseUrl: string;
  readonly filling: Filling;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly passwords: readonly string[];
  /** Time limit for each request or command, in milliseconds. */
  readonly timeoutMs: number;
  readonly ca: readonly string[];
  readonly signal: AbortSignal;
  readonly started: (process: TargetProcess) => void;
  readonly stopped: (process: TargetProcess) => void;
}

/**
 * Executes the requests and commands of `target.warm_up` in order. Their effects are part of the root state. A request is repeated until its answer
 * has a status below 400. A command is executed once.
 *
 * @throws SeqqaError `WARM_UP_FAILED` if a request or command does not succeed in time
 */
export async function warmUp(context: WarmUpContext): Promise<void> {
  for (const [index, step] of context.steps.entries()) {
    const name = `target.warm_up[${index}]`;
    const { method = "GET", path = "/", headers = {}, json, command } = read(step);
    if (context.onlyReads === true && (command !== undefined || !READS.has(method))) continue;
    if (command === undefined)
      await request(context, `${name}, ${method} ${path},`, urlOf(fill(path, context.filling), context.baseUrl), {
        method,
        headers: Object.fromEntries(Object.entries(headers).map(([key, value]) => [key, fill(value, context.filling)])),
        json,
      });
    else await run(context, name, command);
  }
}

/** Returns the URL of a request. Appends a path to the path of the base URL, as for `target.ready`. */
function urlOf(path: string, baseUrl: string): URL {
  if (/^https?:\/\//i.test(path)) return new URL(path);
  return new URL(baseUrl.replace(/\/+$/, "") + (path.startsWith("/") ? path : `/${path}`));
}

/** Returns a step of `target.warm_up` as an object. A text such as `POST /setup` is short for method and path. */
function read(step: WarmUp): Exclude<WarmUp, string> {
  if (typeof step !== "string") return step;
  const [method = "GET", path = "/"] = step.split(/\s+/);
  return { method, path };
}

async function request({ timeoutMs, signal, ca, passwords }: WarmUpContext, name: string, url: URL, sent: Sent): Promise<void> {
  for (const [key, value] of Object.entries(sent.headers)) {
    try {
      validateHeaderName(key);
      validateHeaderValue(key, value);
    } catch (error) {
      throw failed(
        `${name} cannot be sent: ${(error as Error).message}.`,
        `Correct the header ${JSON.stringify(key)} of this request in seqqa.yaml.`,
      );
    }
  }
  const until = performance.now() + timeoutMs;
  let last: string | undefined;
  do {
    signal.throwIfAborted();
    const answer = await send(url, sent, { timeoutMs: Math.max(1, until - performance.now()), signal, ca });
    if (answer !== "none" && "status" in answer && answer.status < 400) return;
    // If the time limit ended this attempt, keep the error of the previous attempt, because it explains more.
    if (answer === "none") last ??= "got no answer";
    else if ("error" in answer) last = `got no answer: ${answer.error}`;
    else
      last = `was answered with status ${answer.status}${answer.body === "" ? "" : `: ${JSON.stringify(withoutSecrets(answer.body.slice(0, SHOWN), passwords))}`}`;
    await delay(Math.min(PAUSE_MS, Math.max(0, until - performance.now())), undefined, { signal }).catch(() => undefined);
  } while (performance.now() < until);
  signal.throwIfAborted();
  throw failed(
    `${name} did not succeed within ${timeoutMs / 1000} s: it ${last}.`,
    "Send the request by hand to see why it fails, and correct the request under target.warm_up. If the target is only slow, raise target.ready_timeout.",
  );
}

interface Sent {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly json: unknown;
}

type Answer = { readonly status: number; readonly body: string } | { readonly error: string } | "none";

/** Sends a request. Resolves to the answer with its body, to the error, or to `none` if the time limit was reached. */
function send(
  url: URL,
  { method, headers, json }: Sent,
  { timeoutMs, signal, ca }: Pick<WarmUpContext, "timeoutMs" | "signal" | "ca">,
): Promise<Answer> {
  return new Promise<Answer>((resolve) => {
    const body = json === undefined ? undefined : JSON.stringify(json);
    const trusted = url.protocol === "https:" ? secureContext(ca) : undefined;
    const request = (url.protocol === "https:" ? httpsRequest : httpRequest)(url, {
      method,
      agent: false,
      signal,
      headers: {
        connection: "close",
        ...(body !== undefined && { "content-type": "application/json", "content-length": Buffer.byteLength(body) }),
        ...headers,
      },
      ...(trusted !== undefined && { secureContext: trusted }),
    });
    const timer = setTimeout(() => {
      resolve("none");
      request.destroy();
    }, timeoutMs);
    request.once("close", () => clearTimeout(timer));
    request.on("error", (error) => resolve({ error: error.message }));
    request.once("response", (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += text.length < SHOWN ? chunk : ""));
      response.once("end", () => resolve({ status: response.statusCode ?? 0, body: text }));
      response.once("error", (error) => resolve({ error: error.message }));
    });
    request.end(body);
  });
}

async function run(
  { filling, cwd, env, passwords, timeoutMs, started, stopped, signal }: WarmUpContext,
  key: string,
  command: string,
): Promise<void> {
  const process = await TargetProcess.start({ line: fill(command, filling, shellWord), cwd, env, passwords, key: `${key}.command` });
  started(process);
  const over = new AbortController();
  try {
    const time = delay(timeoutMs, "late" as const, { signal: AbortSignal.any([over.signal, signal]) }).catch(() => "aborted" as const);
    const end = await Promise.race([process.ended, time]);
    signal.throwIfAborted();
    if (typeof end !== "string" && end.code === 0) return;
    const how = typeof end === "string" ? `did not end within ${timeoutMs / 1000} s` : `ended with ${end.code ?? end.signal}`;
    const said = process.output.trim() === "" ? " The command printed nothing." : ` Its last output:${quoted(lastLines(process.output))}`;
    throw failed(
      `${key}, the command ${command}, ${how}.${said}`,
      "Run the command by hand in target.cwd, with the environment of target.env.",
    );
  } finally {
    over.abort();
    await process.stop();
    stopped(process);
  }
}

function failed(message: string, hint: string): SeqqaError {
  return new SeqqaError("WARM_UP_FAILED", message, { exitStatus: 3, hint });
}
