import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { gitRepository } from "../../../../src/run/session/git-repository.ts";
import { sourcePlace } from "../../../../src/run/session/source-place.ts";

const top = mkdtempSync(join(tmpdir(), "seqqa-git-"));
afterAll(() => rmSync(top, { recursive: true, force: true }));

let folders = 0;
const COMMIT = "0123456789abcdef0123456789abcdef01234567";

/** A folder with these files. */
function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = join(top, String(folders++));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

const origin = (url: string): string =>
  `[core]\n\tbare = false\n[remote "other"]\n\turl = https://github.com/x/y\n[remote "origin"]\n\turl = ${url}\n\tfetch = +refs\n`;
const cloned = (url: string, more: Readonly<Record<string, string>> = {}): string =>
  folderWith({
    ".git/config": origin(url),
    ".git/HEAD": "ref: refs/heads/main\n",
    ".git/refs/heads/main": `${COMMIT}\n`,
    "api/qa/a.ts": "",
    ...more,
  });

describe("the repository of a folder", () => {
  it.each([
    "https://github.com/ann/shop.git",
    "https://github.com/ann/shop",
    "https://ann:ghp_secret@github.com/ann/shop.git",
    "git@github.com:ann/shop.git",
    "ssh://git@github.com:22/ann/shop.git",
  ])("is read from the files of %s, without credentials", (url) => {
    const found = gitRepository(join(cloned(url), "api"), {});
    expect(found).toEqual({ url: "https://github.com/ann/shop", commit: COMMIT, path: "api" });
  });

  it("is found in packed references, at a detached commit, and in a worktree", () => {
    const packed = cloned("git@github.com:ann/shop.git", {
      ".git/refs/heads/main": "no commit",
      ".git/packed-refs": `# pack\n${COMMIT} refs/heads/next\n`,
      ".git/HEAD": "ref: refs/heads/next\n",
    });
    const detached = cloned("git@github.com:ann/shop.git", { ".git/HEAD": `${COMMIT}\n` });
    const main = cloned("git@github.com:ann/shop.git", {
      ".git/worktrees/w/HEAD": "ref: refs/heads/main\n",
      ".git/worktrees/w/commondir": "../..\n",
    });
    const worktree = folderWith({ ".git": `gitdir: ${join(main, ".git/worktrees/w")}\n` });
    for (const folder of [packed, detached, worktree]) expect(gitRepository(folder, {})).toMatchObject({ commit: COMMIT, path: "" });
  });

  it.each<readonly [string, string]>([
    ["no repository", folderWith({ "a.ts": "" })],
    ["a host other than GitHub", cloned("https://gitlab.com/ann/shop.git")],
    ["no remote", cloned("x", { ".git/config": "[core]\n" })],
    ["a reference outside of the folder", cloned("git@github.com:ann/shop.git", { ".git/HEAD": "ref: refs/../../../etc/passwd\n" })],
    ["a commit that is none", cloned("git@github.com:ann/shop.git", { ".git/refs/heads/main": "<script>\n" })],
  ])("is unknown with %s", (_what, folder) => {
    expect(gitRepository(folder, {})).toBeUndefined();
  });

  it("is what GitHub Actions tells, where it does", () => {
    const env = { GITHUB_REPOSITORY: "ann/shop", GITHUB_SHA: COMMIT, GITHUB_SERVER_URL: "https://github.example.com" };
    expect(gitRepository(top, env)).toEqual({ url: "https://github.example.com/ann/shop", commit: COMMIT, path: "" });
    expect(gitRepository(top, { ...env, GITHUB_SHA: "main" })).toBeUndefined();
  });
});

describe("the places of links", () => {
  const config = (editor: string): Parameters<typeof sourcePlace>[1] => ({ report: { editor } as never });

  it("are the editor with the folder, none in CI and with none", () => {
    expect(sourcePlace(top, config("vscode://file{file}"), {})).toEqual({ editor: "vscode://file{file}", folder: top });
    expect(sourcePlace(top, config("vscode://file{file}"), { CI: "true" })).toBeUndefined();
    expect(sourcePlace(top, config("none"), { CI: "false" })).toBeUndefined();
  });
});
