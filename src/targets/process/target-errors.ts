import { SeqqaError } from "../../model/errors.ts";
import { endText, type TargetEnd } from "../../model/results/target-end.ts";
import { isUntrusted, UNTRUSTED } from "../../network/untrusted.ts";
import { lastLines, printable, quoted } from "./output-tail.ts";
import type { TargetExit } from "./target-process.ts";
import { withoutSecrets } from "../../model/text/url-secrets.ts";

export function endedEarly(command: string, lane: number, exit: TargetExit): SeqqaError {
  // Exit codes of a shell: 127 for an unknown command, 126 for a command that cannot be executed. Both are configuration errors.
  const notFound = exit.code === 126 || exit.code === 127;
  return new SeqqaError(
    "TARGET_EXITED",
    `The target of lane ${lane}, ${shownCommand(command)}, ${howItEnded(exit)} before it was ready${lastPrinted(exit.output)}`,
    {
      exitStatus: notFound ? 2 : 3,
      hint: notFound
        ? "Check target.command, target.cwd and PATH: the shell did not find or could not run it."
        : "Run target.command by hand in target.cwd, with the same environment.",
    },
  );
}

/** Returns a sentence that says how a target ended while it was used. */
export function endedInUse(end: TargetEnd): string {
  return `The target ${endText(end)}${end.output.length === 0 ? ", and printed nothing." : `. Its last output:${quoted(end.output)}`}`;
}

export function howItEnded({ code, signal }: TargetExit): string {
  return endText({ exitCode: code, signal });
}

/** Returns the last output of a process as the end of a sentence. */
export function lastPrinted(output: string): string {
  return output.trim() === "" ? ", and printed nothing." : `. Its last output:${quoted(lastLines(output))}`;
}

export function notReady(command: string, lane: number, urls: readonly string[], seconds: number, output: string): SeqqaError {
  const said = output.trim() === "" ? " It printed nothing." : ` Its last output:${quoted(lastLines(output))}`;
  return new SeqqaError(
    "TARGET_NOT_READY",
    `The target of lane ${lane}, ${shownCommand(command)}, runs but gave no HTTP answer on ${urls.join(" or ")} within ${seconds} s.${said}`,
    {
      hint: "Check that it listens on {port} (also given as the environment variable PORT), check target.ready, or raise target.ready_timeout.",
    },
  );
}

export function notHttp(url: string, output: string): SeqqaError {
  const said = output.trim() === "" ? "" : ` The target printed:${quoted(lastLines(output))}`;
  return new SeqqaError("TARGET_NOT_HTTP", `What listens on ${url} does not answer in HTTP.${said}`, {
    hint: "Check that the port is the API's own, and that it speaks http there, not https or another protocol.",
  });
}

export function portBusy(command: string, port: number | undefined): SeqqaError {
  const which = port === undefined ? "The port" : `Port ${port}`;
  return new SeqqaError("TARGET_PORT_BUSY", `${which} that the target ${shownCommand(command)} wants to listen on is in use already.`, {
    hint: "End the process that listens there, or write {port} in target.command or target.env, so that every lane gets a free port.",
  });
}

/** Returns the error for a target that cannot be reached. Its code is the same for every cause. */
export function unreachable(url: string, error: NodeJS.ErrnoException): SeqqaError {
  const [what, check] = diagnosis(error);
  return new SeqqaError("TARGET_UNREACHABLE", `${what}: the target at ${withoutSecrets(url)} gave no answer.`, {
    hint: check,
    cause: error,
  });
}

/** Adds a sentence about the end of the target to an error that occurred while a lane was started. */
export function endedMeanwhile(error: Error, lane: number, end: TargetEnd): SeqqaError {
  const said = end.output.length === 0 ? ", and had printed nothing." : `. Its last output:${quoted(end.output)}`;
  return new SeqqaError("TARGET_EXITED", `${error.message} The target of lane ${lane} ${endText(end)}${said}`, {
    hint: "Its output may say why; else run target.command by hand in target.cwd, with the same environment.",
    cause: error,
  });
}

type Diagnosis = readonly [what: string, check: string];

function diagnosis(error: NodeJS.ErrnoException): Diagnosis {
  const code = error.code ?? "";
  const tls = /^(ERR_SSL|ERR_TLS|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|EPROTO)/;
  if (code === "ECONNREFUSED") return ["Connection refused", "Check that the target runs and listens on this host and port."];
  if (/^(ENOTFOUND|EAI_)/.test(code)) return ["Unknown host", "Check the host name in the base URL, and the name server."];
  if (isUntrusted(code)) return UNTRUSTED;
  if (tls.test(code) || error.message.includes("secure TLS connection")) {
    return ["TLS failure", "Check http or https in the base URL, and the host names and dates of the certificate."];
  }
  if (code === "ETIMEDOUT") return ["Timeout", "Check host and port, and whether the target hangs or a firewall drops the packets."];
  if (code === "ECONNRESET" || code === "EPIPE") return ["Connection reset", "Check whether the target crashed, and read its output."];
  if (/^(EHOST|ENET|EADDRNOTAVAIL)/.test(code)) return ["Host unreachable", "Check the host in the base URL, and the network."];
  return [`Not reachable (${code || error.message})`, "Check that the target runs and answers on this URL."];
}

/** Returns the configured command on one line, without secrets. Placeholders such as `{port}` stay in it. */
export function shownCommand(command: string): string {
  const line = withoutSecrets(printable(command)).replace(/\s+/g, " ").trim();
  return `"${line.length > 120 ? `${line.slice(0, 117)}...` : line}"`;
}
