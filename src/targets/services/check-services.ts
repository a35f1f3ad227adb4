import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { ServiceConfig } from "../../config/index.ts";
import type { StoreCheck } from "../../model/stores/store-provider.ts";
import { shownCommand } from "../process/target-errors.ts";
import type { ServicesConfig } from "./services-config.ts";

const LIMIT_MS = 10_000;
const NOT_STARTED = "seqqa doctor does not start services. If the target needs this service, start it by hand first.";

/** Checks that the programs of the configured services, and docker, exist. Starts nothing. `seqqa doctor` uses this check. */
export async function checkServices({ services, composeFile, folder }: ServicesConfig): Promise<readonly StoreCheck[]> {
  const checks = composeFile === undefined ? [] : [await checkCompose(composeFile)];
  for (const service of services) checks.push(await checkService(service, folder));
  return checks;
}

async function checkService({ name, command, cwd, env }: ServiceConfig, folder: string): Promise<StoreCheck> {
  const what = `service ${name}`;
  const place = resolve(folder, cwd ?? ".");
  if (!existsSync(place)) return { ok: false, what, says: `the cwd of the service names the folder ${place}, which does not exist` };
  const program = programOf(command);
  if (program === undefined) {
    return {
      ok: true,
      what,
      says: `${shownCommand(command)} begins with shell syntax, so seqqa did not check its program. ${NOT_STARTED}`,
    };
  }
  const found = await succeeds("sh", ["-c", 'command -v -- "$1"', "sh", program], place, { ...process.env, ...env });
  return found
    ? { ok: true, what, says: `${program} was found. ${NOT_STARTED}` }
    : { ok: false, what, says: `the program ${program} was not found. Check the command and the cwd of the service, and PATH` };
}

async function checkCompose(file: string): Promise<StoreCheck> {
  const what = "compose_file";
  if (!existsSync(file)) return { ok: false, what, says: `the file ${file} does not exist` };
  return (await succeeds("docker", ["compose", "version"], process.cwd(), process.env))
    ? { ok: true, what, says: `docker compose was found. ${NOT_STARTED}` }
    : {
        ok: false,
        what,
        says: "docker compose was not found or cannot run. Install Docker with its compose plugin, or start the containers by hand and use --no-infra",
      };
}

/** Returns the name of the program that a simple command line starts. Returns `undefined` if the line uses other shell syntax. */
function programOf(command: string): string | undefined {
  return /^(?:\w+=[\w./:-]*\s+)*(?:exec\s+)?([\w./+@-]+)(?=\s|$)/.exec(command.trim())?.[1];
}

function succeeds(program: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  return new Promise((done) => {
    execFile(program, args, { cwd, env, timeout: LIMIT_MS, killSignal: "SIGKILL" }, (error) => done(error === null));
  });
}
