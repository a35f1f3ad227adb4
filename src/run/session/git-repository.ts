import { readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import type { SourcePlace } from "../../reports/index.ts";

/** Files of a git folder that have more bytes are not read. */
const LARGEST = 5_000_000;
const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
/** Matches URLs of remotes: `https://host/owner/name.git`, `ssh://git@host/owner/name`, `git@host:owner/name.git`. */
const REMOTE = /^(?:(?:https?|ssh|git):\/\/(?:[^/@\s]*@)?|[^/@\s]+@)([\w.-]+)(?::\d+(?=\/))?[/:]([\w.-]+\/[\w.-]+?)(?:\.git)?\/?$/;

/**
 * Returns the GitHub repository and commit of a folder; `undefined` if the folder is in no such repository. In GitHub Actions, both come from the
 * environment. Elsewhere the files of the git folder are read without running git, because a repository's configuration can make git run programs.
 */
export function gitRepository(folder: string, env: NodeJS.ProcessEnv): SourcePlace["repository"] {
  const server = env["GITHUB_SERVER_URL"] ?? "https://github.com";
  const root = rootOf(folder);
  const path = root === undefined ? "" : relative(root, folder).split(sep).join("/");
  const [repository, sha] = [env["GITHUB_REPOSITORY"], env["GITHUB_SHA"]];
  if (repository !== undefined && /^[\w.-]+\/[\w.-]+$/.test(repository) && COMMIT.test(sha ?? ""))
    return { url: `${server}/${repository}`, commit: sha!, path };
  const git = root === undefined ? undefined : gitFolder(join(root, ".git"));
  if (git === undefined) return undefined;
  const common = resolve(git, read(join(git, "commondir"))?.trim() ?? ".");
  const [, host, name] = REMOTE.exec(originOf(read(join(common, "config")) ?? "") ?? "") ?? [];
  const commit = commitOf(git, common);
  const isGithub = URL.canParse(server) && host === new URL(server).hostname;
  return isGithub && name !== undefined && commit !== undefined ? { url: `${server}/${name}`, commit, path } : undefined;
}

/** Returns the nearest folder that contains `.git`. */
function rootOf(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (statSync(join(at, ".git"), { throwIfNoEntry: false }) !== undefined) return at;
    if (dirname(at) === at) return undefined;
  }
}

/** Returns the path of the git folder. In a worktree, `.git` is a file that contains this path. */
function gitFolder(path: string): string {
  const named = /^gitdir: (.+)$/m.exec(read(path) ?? "")?.[1];
  return named === undefined ? path : resolve(dirname(path), named.trim());
}

/** Returns the URL of the remote `origin`. */
function originOf(config: string): string | undefined {
  const section = /^\[remote "origin"\]$([^[]*)/m.exec(config)?.[1];
  return /^\s*url\s*=\s*(\S+)\s*$/m.exec(section ?? "")?.[1];
}

function commitOf(git: string, common: string): string | undefined {
  const head = read(join(git, "HEAD"))?.trim() ?? "";
  const ref = /^ref: (refs\/[\w./-]+)$/.exec(head)?.[1];
  if (ref === undefined || ref.includes("..")) return COMMIT.test(head) ? head : undefined;
  const loose = (read(join(git, ref)) ?? read(join(common, ref)))?.trim();
  const packed = (read(join(common, "packed-refs")) ?? "").split("\n").find((line) => line.endsWith(` ${ref}`));
  const commit = loose ?? packed?.split(" ")[0];
  return COMMIT.test(commit ?? "") ? commit : undefined;
}

/** Returns the text of a file; `undefined` if it is no file, too large or not readable. */
function read(file: string): string | undefined {
  try {
    const found = statSync(file);
    return found.isFile() && found.size <= LARGEST ? readFileSync(file, "utf8") : undefined;
  } catch {
    return undefined;
  }
}
