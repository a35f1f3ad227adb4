import type { Command, Option } from "commander";
import { STRATEGY_KINDS } from "../../model/declare/search/strategy.ts";
import { nearest } from "../../model/text/nearest.ts";
import { REPORTER_NAMES, REPORT_FORMAT_NAMES } from "../../reports/index.ts";
import { flagWord } from "./flag-word.ts";
import { usage } from "./run-options.ts";

interface Words {
  readonly name: string;
  readonly description: string;
  /** The words that may follow the command on the command line: the names of its subcommands, or of shells. */
  readonly words: readonly string[];
  readonly takes: "directory" | "file" | undefined;
  readonly options: readonly OptionWords[];
}

interface OptionWords {
  readonly flag: string;
  readonly description: string;
  readonly values: readonly string[];
  readonly takesPath: boolean;
  /** `optional`: the option can be given without a value, so the next word can be its value or another argument. */
  readonly takesValue: "required" | "optional" | undefined;
}

/** The allowed values of options that commander does not check. The configuration checks the values later. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  "--strategy": STRATEGY_KINDS.map(flagWord),
  "--fail-on-severity": ["critical", "high", "medium", "low", "none"],
  "--parallel": ["auto"],
  "--reporter": REPORTER_NAMES,
  "--format": REPORT_FORMAT_NAMES,
};
/** Match the names of arguments whose values are directories (`DIRECTORIES`), or are or may be files. */
const DIRECTORIES = /directory|^dir$/;
const FILES: ReadonlySet<string> = new Set(["source", "store", "run", "exploration"]);
const SHELLS = { bash, zsh, fish } as const;

/**
 * Returns a shell script that completes seqqa's commands and options. The script is generated from the command definitions and does not start seqqa,
 * so it cannot complete names of journeys.
 * @throws SeqqaError if the shell is not supported
 */
export function completionScript(program: Command, shell: string): string {
  const script = Object.entries(SHELLS).find(([name]) => name === shell)?.[1];
  if (script === undefined) {
    const near = nearest(shell, Object.keys(SHELLS));
    throw usage(
      `seqqa has no completion script for the shell ${JSON.stringify(shell)}, only for bash, zsh and fish.`,
      near && `Did you mean ${near}?`,
    );
  }
  return script(program.commands.map(wordsOf));
}

function wordsOf(command: Command): Words {
  const all = [command, ...command.commands];
  const names = all.flatMap(({ registeredArguments }) => registeredArguments.map((argument) => argument.name()));
  const flags = new Map(all.flatMap(({ options }) => options.map((option) => [option.flags, optionOf(option)] as const)));
  return {
    name: command.name(),
    description: command.description(),
    words: command.name() === "completion" ? Object.keys(SHELLS) : command.commands.map((one) => one.name()),
    takes: names.some((name) => DIRECTORIES.test(name)) ? "directory" : names.some((name) => FILES.has(name)) ? "file" : undefined,
    options: [...flags.values(), { flag: "--help", description: "print help", values: [], takesPath: false, takesValue: undefined }],
  };
}

function optionOf({ long, description, argChoices, flags, required, optional }: Option): OptionWords {
  const flag = long ?? flags;
  return {
    flag,
    description,
    values: argChoices ?? VALUES[flag] ?? [],
    takesPath: /[<[](?:file|dir)[>\]]/.test(flags),
    takesValue: required ? "required" : optional ? "optional" : undefined,
  };
}

const TOP = ["--help", "--version"];

function bash(commands: readonly Words[]): string {
  const cases = commands.map(
    ({ name, options, takes, words }) =>
      `    ${name}) words="${[...words, ...options.map(({ flag }) => flag)].join(" ")}"; kind=${takes ?? ""}; first=${words.length === 0 ? 2 : 3} ;;`,
  );
  const values = commands.flatMap(({ name, options }) =>
    options
      .filter(({ takesValue }) => takesValue !== undefined)
      .map(({ flag, values: words, takesPath, takesValue }) => {
        const offered = takesPath ? "-f" : `-W "${words.join(" ")}"`;
        const end = takesValue === "required" ? " return;" : "";
        return `    "${name} ${flag}") COMPREPLY=($(compgen ${offered} -- "$current"));${end} ;;`;
      }),
  );
  return `# seqqa completion for bash: seqqa completion bash > ~/.local/share/bash-completion/completions/seqqa
_seqqa() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" words kind="" first
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${[...commands.map(({ name }) => name), ...TOP].join(" ")}" -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]} $previous" in
${values.join("\n")}
  esac
  case "\${COMP_WORDS[1]}" in
${cases.join("\n")}
    *) return ;;
  esac
  COMPREPLY+=($(compgen -W "$words" -- "$current"))
  [[ "$current" == -* ]] && return
  case "$kind" in
    directory) COMPREPLY+=($(compgen -d -- "$current")) ;;
    file) if [ "$COMP_CWORD" -ge "$first" ]; then COMPREPLY+=($(compgen -f -- "$current")); fi ;;
  esac
}
complete -o filenames -F _seqqa seqqa
`;
}

function zsh(commands: readonly Words[]): string {
  const quote = (text: string): string => text.replaceAll("'", `'\\''`);
  const plain = (text: string): string => quote(text).replace(/[[\]:\\]/g, "\\$&");
  const behind = ({ takesValue, takesPath, values }: OptionWords): string => {
    if (takesValue === undefined) return "";
    const colon = takesValue === "optional" ? "::" : ":";
    return `${colon}${takesPath ? "file:_files" : values.length > 0 ? `value:(${values.join(" ")})` : "value: "}`;
  };
  const argument = ({ words, takes }: Words): string =>
    (words.length > 0 ? ` '1:word:(${words.join(" ")})'` : takes === "directory" ? " '1:directory:_files -/'" : "") +
    (takes !== "file" ? "" : words.length > 0 ? " '2:file:_files'" : " '*:file:_files'");
  const cases = commands.map(
    (words) =>
      `    ${words.name}) _arguments ${words.options.map((option) => `'*${option.flag}[${plain(option.description)}]${behind(option)}'`).join(" ")}${argument(words)} ;;`,
  );
  return `#compdef seqqa
# seqqa completion for zsh: eval "$(seqqa completion zsh)"
_seqqa() {
  local -a commands
  commands=(
${commands.map(({ name, description }) => `    '${name}:${plain(description)}'`).join("\n")}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    _values option ${TOP.map((flag) => `'${flag}'`).join(" ")}
    return
  fi
  local name="$words[2]"
  shift words
  (( CURRENT-- ))
  case "$name" in
${cases.join("\n")}
  esac
}
compdef _seqqa seqqa
`;
}

function fish(commands: readonly Words[]): string {
  const quote = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const lines = commands.flatMap(({ name, description, options, takes, words }) => {
    const inside = `complete -c seqqa -n '__fish_seen_subcommand_from ${name}'`;
    return [
      `complete -c seqqa -n __fish_use_subcommand -a ${name} -d ${quote(description)}`,
      ...(takes === "directory" ? [`${inside} -a '(__fish_complete_directories)'`] : []),
      ...(takes === "file" ? [`${inside} -F`] : []),
      ...(words.length > 0 ? [`${inside} -a '${words.join(" ")}'`] : []),
      ...options.map(({ flag, description: says, values, takesPath, takesValue }) =>
        [
          inside,
          `-l ${flag.slice(2)}`,
          ...(takesValue === "required" ? ["-r"] : []),
          ...(takesPath ? ["-F"] : []),
          ...(values.length > 0 ? [`-a '${values.join(" ")}'`] : []),
          `-d ${quote(says)}`,
        ].join(" "),
      ),
    ];
  });
  const top = TOP.map((flag) => `complete -c seqqa -n __fish_use_subcommand -l ${flag.slice(2)}`);
  return `# seqqa completion for fish: seqqa completion fish > ~/.config/fish/completions/seqqa.fish\ncomplete -c seqqa -f\n${[...lines, ...top].join("\n")}\n`;
}
