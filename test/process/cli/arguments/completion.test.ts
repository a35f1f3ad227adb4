import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { folderWith, seqqa } from "../../../support/cli-harness.ts";

const script = async (shell: string): Promise<string> => {
  const { status, stdout, stderr } = await seqqa(["completion", shell]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout;
};

/** What bash offers for a line whose last word is being typed. */
async function offered(...words: readonly string[]): Promise<readonly string[]> {
  const cwd = folderWith({ "qa/seqqa.yaml": "", "notes.txt": "" });
  const list = words.map((word) => `'${word}'`).join(" ");
  const typed = `COMP_WORDS=(seqqa ${list}); COMP_CWORD=${words.length}; _seqqa; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr, status } = spawnSync("bash", ["--norc", "-c", `${await script("bash")}\n${typed}`], { cwd, encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout.split("\n").filter((line) => line !== "");
}

describe("completion in bash", () => {
  it.each<readonly [string, readonly string[], readonly string[]]>([
    ["commands", ["r"], ["run", "report", "replay"]],
    ["what stands before a command", ["--v"], ["--version"]],
    ["options of the command", ["run", "--max-"], ["--max-steps", "--max-depth", "--max-time"]],
    ["no options of another", ["list", "--max-"], []],
    ["options of replay", ["replay", "9d0f130c", "--from"], ["--from-step"]],
    ["options of replay and no others", ["replay", "--e"], ["--emit"]],
    ["what a finding is emitted as", ["replay", "9d0f130c", "--emit", ""], ["curl", "vitest", "har"]],
    ["nothing for the number of a step", ["replay", "9d0f130c", "--from-step", ""], []],
    ["directories of reports", ["replay", "9d0f130c", "--output", "q"], ["qa"]],
    ["values", ["report", "--format", "j"], ["json", "junit"]],
    ["values that the configuration knows", ["run", "--strategy", "d"], ["dfs"]],
    ["directories", ["run", "q"], ["qa"]],
    ["files", ["run", "--config", "no"], ["notes.txt"]],
    ["values that only this command knows", ["diff", "--format", ""], ["text", "markdown", "html"]],
    ["values of an option that needs none", ["run", "--races", "p"], ["pairs"]],
    ["only values that fit", ["run", "--faults", "o"], ["on", "off"]],
    ["options behind an option that needs no value", ["run", "--races", "--max-s"], ["--max-steps"]],
    ["files and folders of runs", ["merge", "q"], ["qa"]],
    ["files in a folder", ["diff", "qa/"], ["qa/seqqa.yaml"]],
    ["files of explorations", ["try", "qa/"], ["qa/seqqa.yaml"]],
    ["shells", ["completion", "z"], ["zsh"]],
    ["what scaffold takes", ["scaffold", "o"], ["openapi"]],
    ["options of a command below", ["scaffold", "openapi", "--al"], ["--allow-refs"]],
    ["descriptions", ["scaffold", "openapi", "no"], ["notes.txt"]],
    ["nothing for an unknown command", ["nonsense", ""], []],
  ])("%s", async (_what, words, expected) => {
    expect(await offered(...words)).toEqual(expected);
  });
});

describe.each(["bash", "zsh", "fish"])("completion for %s", (shell) => {
  it("knows every command and option of --help", async () => {
    const text = await script(shell);
    const { stdout: help } = await seqqa(["--help"]);
    const commands = [...help.split("Commands:")[1]!.matchAll(/^ {2}([a-z]+)/gm)].map(([, name]) => name!);
    expect(commands).toContain("run");
    for (const name of commands) {
      expect(text).toContain(name);
      const { stdout } = await seqqa([name, "--help"]);
      for (const [, flag] of stdout.matchAll(/^ {2}(?:-h, )?--([a-z-]+)/gm))
        expect(text).toContain(shell === "fish" ? `-l ${flag}` : `--${flag}`);
    }
  });

  it.skipIf(spawnSync(shell, ["--version"]).error !== undefined)("is a script that the shell takes", async () => {
    const folder = folderWith({ script: await script(shell) });
    expect(spawnSync(shell, ["-n", "script"], { cwd: folder, encoding: "utf8" })).toMatchObject({ status: 0, stderr: "" });
  });
});
