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
        ? "Check target.command, target.cwd and PATH. The shell did not find the program, or could not run it."
        : "Run target.command by hand in target.cwd, with the environment of target.env, and read its output.",
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
  const said = output.trim() === "" ? " The target printed nothing." : ` Its last output:${quoted(lastLines(output))}`;
  return new SeqqaError(
    "TARGET_NOT_READY",
    `The target of lane ${lane}, ${shownCommand(command)}, runs but gave no HTTP answer on ${urls.join(" or ")} within ${seconds} s.${said}`,
    {
      hint: "Check that the target listens on the port that seqqa chooses: the placeholder {port}, or the environment variable PORT. Check target.ready. If the target is only slow, raise target.ready_timeout.",
    },
  );
}

export function notHttp(url: string, output: string): SeqqaError {
  const said = output.trim() === "" ? "" : ` The target printed:${quoted(lastLines(output))}`;
  return new SeqqaError("TARGET_NOT_HTTP", `The program that listens on ${url} does not answer in HTTP.${said}`, {
    hint: "Check that the port belongs to the API, and that the API speaks http on this port, not https or another protocol.",
  });
}

export function portBusy(command: string, port: number | undefined): SeqqaError {
  const which = port === undefined ? "this port" : `port ${port}`;
  return new SeqqaError(
    "TARGET_PORT_BUSY",
    `The target ${shownCommand(command)} cannot listen on its port, because another process uses ${which}.`,
    {
      hint: "End the process that uses the port. Or write {port} in target.command or target.env: seqqa fills in a free port for each lane.",
    },
  );
}

/** Returns the error for a target that cannot be reached. Its code is `TARGET_UNREACHABLE` for every cause. */
export function unreachable(url: string, error: NodeJS.ErrnoException): SeqqaError {
  const [what, check] = diagnosis(error);
  return new SeqqaError("TARGET_UNREACHABLE", `${what}: the target at ${withoutSecrets(url)} gave no answer.`, {
    hint: check,
    cause: error,
  });
}

/** Returns an error that occurred while a lane was started, with an additional sentence which says how the target ended. */
export function endedMeanwhile(error: Error, lane: number, end: TargetEnd): SeqqaError {
  const said = end.output.length === 0 ? ", and had printed nothing." : `. Its last output:${quoted(end.output)}`;
  return new SeqqaError("TARGET_EXITED", `${error.message} The target of lane ${lane} ${endText(end)}${said}`, {
    hint: "Read the output of the target. If the output shows no reason, run target.command by hand in target.cwd, with the environment of target.env.",
    cause: error,
  });
}

type Diagnosis = readonly [what: string, check: string];

function diagnosis(error: NodeJS.ErrnoException): Diagnosis {
  const code = error.code ?? "";
  const tls = /^(ERR_SSL|ERR_TLS|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|EPROTO)/;
  if (code === "ECONNREFUSED") return ["Connection refused", "Check that the target runs and listens on this host and port."];
  if (/^(ENOTFOUND|EAI_)/.test(code))
    return ["Unknown host", "Check the host name in the base URL. If the name is right, check that this machine can resolve it (DNS)."];
  if (isUntrusted(code)) return UNTRUSTED;
  if (tls.test(code) || error.message.includes("secure TLS connection")) {
    return [
      "TLS failure",
      "Check that the base URL begins with the right scheme (http or https), and that the certificate names this host and has not expired.",
    ];
  }
  if (code === "ETIMEDOUT")
    return ["Timeout", "Check the host and the port in the base URL. The target may hang, or a firewall may drop the packets."];
  if (code === "ECONNRESET" || code === "EPIPE") return ["Connection reset", "Read the target's output: the target may have crashed."];
  if (/^(EHOST|ENET|EADDRNOTAVAIL)/.test(code))
    return ["Host unreachable", "Check the host in the base URL, and the network between this machine and the host."];
  return [`Not reachable (${code || error.message})`, "Check that the target runs, and that it answers on this URL."];
}

/** Returns the configured command on one line, without secrets. Placeholders such as `{port}` stay in the command. */
export function shownCommand(command: string): string {
  const line = withoutSecrets(printable(command)).replace(/\s+/g, " ").trim();
  return `"${line.length > 120 ? `${line.slice(0, 117)}...` : line}"`;
}
