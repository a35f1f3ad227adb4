import type { ServiceConfig } from "../../config/index.ts";
import { SeqqaError } from "../../model/errors.ts";
import { UNTRUSTED } from "../../network/untrusted.ts";
import { howItEnded, lastPrinted, shownCommand } from "../process/target-errors.ts";
import type { TargetExit } from "../process/target-process.ts";

export function serviceEnded(service: ServiceConfig, exit: TargetExit): SeqqaError {
  // Exit codes of a shell: 127 for an unknown command, 126 for a command that cannot be executed. Both are configuration errors.
  const notFound = exit.code === 126 || exit.code === 127;
  return new SeqqaError("SERVICE_EXITED", `${named(service)} ${howItEnded(exit)} before it was ready${lastPrinted(exit.output)}`, {
    exitStatus: notFound ? 2 : 3,
    hint: notFound
      ? "Check the command and the cwd of the service, and PATH. The shell did not find the program, or could not run it."
      : "Run the command of the service by hand in its cwd, with the same environment, and read its output.",
  });
}

/** Returns the error for a service that was ready but ended during the run. */
export function serviceLost(service: ServiceConfig, exit: TargetExit, log: string): SeqqaError {
  return new SeqqaError("SERVICE_LOST", `${named(service)} ${howItEnded(exit)} during the run${lastPrinted(exit.output)}`, {
    hint: `Read the whole output of the service in ${log}. If the API needs this service, findings from after its end may not be defects of the API.`,
  });
}

export function serviceNotReady(service: ServiceConfig, urls: readonly string[], output: string): SeqqaError {
  return new SeqqaError(
    "SERVICE_NOT_READY",
    `${named(service)} runs but gave no HTTP answer on ${urls.join(" or ")} within ${service.readyTimeout} s${lastPrinted(output)}`,
    {
      hint: "Check the `ready` of the service, and the port on which the service listens. If the service is only slow, raise its `ready_timeout`.",
    },
  );
}

export function serviceNotHttp(service: ServiceConfig, url: string, output: string): SeqqaError {
  return new SeqqaError("SERVICE_NOT_HTTP", `${named(service)} does not answer in HTTP on ${url}${lastPrinted(output)}`, {
    hint: "Check the port and the protocol in the `ready` of the service. If the service does not speak HTTP, remove its `ready`.",
  });
}

export function serviceUntrusted(service: ServiceConfig, url: string, error: NodeJS.ErrnoException): SeqqaError {
  return new SeqqaError(
    "SERVICE_UNTRUSTED",
    `${named(service)} uses a certificate on ${url} that is not trusted (${error.code ?? error.message}).`,
    {
      hint: UNTRUSTED[1],
      cause: error,
    },
  );
}

/**
 * Returns the error for a service at whose URL another program already answers. Without this error, the answers of that program would make the
 * service look ready.
 */
export function serviceAnswersAlready(service: ServiceConfig, url: string): SeqqaError {
  return new SeqqaError("SERVICE_PORT_BUSY", `${named(service)} was not started, because another process already answers on ${url}.`, {
    hint: "End the process that uses this port. Or use that process as the service: run seqqa with --no-infra.",
  });
}

export function serviceFolderMissing({ name }: ServiceConfig, folder: string): SeqqaError {
  return new SeqqaError("SERVICE_CWD", `The cwd of service "${name}" names the folder ${folder}, which does not exist.`, {
    exitStatus: 2,
    hint: "Correct the path, which is relative to the folder of seqqa.yaml.",
  });
}

function named({ name, command }: ServiceConfig): string {
  return `Service "${name}", ${shownCommand(command)},`;
}
