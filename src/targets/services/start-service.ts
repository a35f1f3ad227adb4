import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { ServiceConfig } from "../../config/index.ts";
import { RUN_VARIABLE } from "../process/marked-processes.ts";
import { probe } from "../ready/probe.ts";
import { TargetProcess } from "../process/target-process.ts";
import { waitUntilReady } from "../ready/wait-until-ready.ts";
import { passwordsOf } from "../../model/text/url-secrets.ts";
import {
  serviceAnswersAlready,
  serviceEnded,
  serviceFolderMissing,
  serviceNotHttp,
  serviceNotReady,
  serviceUntrusted,
} from "./service-errors.ts";
import type { OutputLog } from "../process/output-log.ts";

/**
 * Before seqqa starts a service, it checks that no other program answers at the service's `ready` URL. This is the time limit of the check, in
 * milliseconds.
 */
const LOOK_MS = 1_000;

export interface ServiceContext {
  readonly folder: string;
  readonly runId: string;
  readonly ca: readonly string[] | undefined;
  readonly log: OutputLog;
  /** Called immediately after the process was started. */
  readonly started: (process: TargetProcess) => void;
  readonly signal: AbortSignal;
}

/**
 * Starts a service and waits until the service is ready. Does not wait for a service without `ready`. If this function throws, the caller must end
 * the process.
 * @throws SeqqaError `SERVICE_*`
 */
export async function startService(service: ServiceConfig, context: ServiceContext): Promise<TargetProcess> {
  const { folder, runId, ca, log, signal } = context;
  const cwd = resolve(folder, service.cwd ?? ".");
  if (!existsSync(cwd)) throw serviceFolderMissing(service, cwd);
  const urls = readyUrls(service);
  for (const url of urls) {
    if ((await probe(url, LOOK_MS, signal, ca)).kind === "answer") throw serviceAnswersAlready(service, url.href);
  }
  signal.throwIfAborted();
  const process_ = await TargetProcess.start({
    line: service.command,
    cwd,
    env: { ...process.env, ...service.env, [RUN_VARIABLE]: runId },
    key: `The command of service "${service.name}"`,
    passwords: passwordsOf(Object.values(service.env)),
    onOutput: (text) => log.write(text),
  });
  context.started(process_);
  if (urls.length > 0) {
    const readiness = await waitUntilReady(urls, service.readyTimeout * 1000, process_.ended, signal, ca);
    switch (readiness.kind) {
      case "ready":
        break;
      case "ended":
        throw serviceEnded(service, await process_.ended);
      case "garbage":
        throw serviceNotHttp(service, readiness.url, process_.output);
      case "untrusted":
        throw serviceUntrusted(service, readiness.url, readiness.error);
      case "late":
        throw serviceNotReady(
          service,
          urls.map(({ href }) => href),
          process_.output,
        );
    }
  }
  process_.unref();
  return process_;
}

/**
 * Returns the URLs at which the service may become ready. If `ready` is a path, both loopback addresses are tried, because a server on `localhost`
 * may listen on only one of them.
 */
function readyUrls({ ready, env }: ServiceConfig): readonly URL[] {
  if (ready === undefined) return [];
  if (/^https?:\/\//i.test(ready)) return [new URL(ready)];
  return ["127.0.0.1", "[::1]"].map((host) => new URL(`http://${host}:${env["PORT"]}${ready}`));
}
