import type { Metafile } from "esbuild";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { SeqqaError } from "../model/errors.ts";
import { shownPath } from "./shown-path.ts";

/** Matches a TypeORM column decorator without a type. TypeORM then reads the column's type from the emitted TypeScript type of the property. */
const UNTYPED_COLUMN = /@(?:Column|PrimaryColumn)\(\s*\)/;
/** Matches a constructor whose first parameter has a type and no decorator that names the injected value. */
const CONSTRUCTOR = /\bconstructor\(\s*(?:(?:private|public|protected|readonly)\s+)+\w+\s*:\s*[A-Z]/g;
/** Matches the decorators and the class header directly before the body of a class that NestJS creates. */
const CREATED =
  /@(?:Injectable|Controller|Catch|Resolver|WebSocketGateway)\((?:[^()]|\([^()]*\))*\)[^{}()]*(?:@\w+\((?:[^()]|\([^()]*\))*\)[^{}()]*)*class\s[^{}]*$/;
/** The maximum length in characters of the code before the body of a class that is searched for decorators. */
const DECORATORS = 2_000;
const STRINGS_AND_COMMENTS = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\[^]|[^`\\])*`|\/\*[^]*?\*\/|\/\/.*/g;
const CREATES = /\bNestFactory\b|\bcreateTestingModule\b/;

/**
 * Throws an error if code in a bundle cannot work without `emitDecoratorMetadata`, which esbuild ignores. Without this check, NestJS would end
 * seqqa's process with a less helpful error.
 * @param folder The folder to which the paths in `outputs` are relative.
 * @throws SeqqaError `LOAD_METADATA` (2)
 */
export async function refuseMetadata(folder: string, { inputs, outputs }: Metafile): Promise<void> {
  const used = new Set(Object.values(outputs).flatMap((output) => Object.keys(output.inputs)));
  const importing = async (packages: RegExp): Promise<readonly { readonly file: string; readonly text: string }[]> => {
    const files = [...used].filter(
      (input) => /\.[cm]?tsx?$/.test(input) && inputs[input]?.imports.some(({ path, original = path }) => packages.test(original)) === true,
    );
    return Promise.all(
      files.map(async (input) => ({ file: resolve(folder, input), text: await readFile(resolve(folder, input), "utf8") })),
    );
  };
  for (const { file, text } of await importing(/^typeorm$/)) refuse(file, text, (code) => code.search(UNTYPED_COLUMN));
  const creators = await importing(/^@nestjs\/(?:core|testing)$/);
  if (!creators.some(({ text }) => CREATES.test(text))) return;
  for (const { file, text } of await importing(/^@nestjs\//)) refuse(file, text, injectedAt);
}

/** Returns the position of a constructor whose values NestJS selects by their types, or -1. */
function injectedAt(code: string): number {
  for (const { index } of code.matchAll(CONSTRUCTOR)) {
    const body = bodyAround(code, index);
    if (CREATED.test(code.slice(Math.max(body - DECORATORS, 0), Math.max(body, 0)))) return index;
  }
  return -1;
}

/** Returns the position of the brace that opens the block around a position, or -1. */
function bodyAround(code: string, position: number): number {
  let depth = 1;
  let at = position - 1;
  for (; at >= 0; at--) {
    if (code[at] === "}") depth++;
    else if (code[at] === "{" && --depth === 0) break;
  }
  return at;
}

/** Replaces comments by spaces, and the content of strings by `_`. Positions in the code stay the same. */
function codeOf(text: string): string {
  return text.replace(STRINGS_AND_COMMENTS, (part) =>
    part.startsWith("/") ? part.replace(/[^\n]/g, " ") : `"${part.slice(1, -1).replace(/[^\n]/g, "_")}"`,
  );
}

/** Throws an error if the code of a file needs the types. @param find Returns the position of code that needs the types, or -1. */
function refuse(file: string, text: string, find: (code: string) => number): void {
  const found = find(codeOf(text));
  if (found < 0) return;
  const lines = text.slice(0, found).split("\n");
  throw new SeqqaError(
    "LOAD_METADATA",
    `${shownPath(file)}:${lines.length}:${lines.at(-1)!.length + 1}: this decorator needs the types of the code (emitDecoratorMetadata), which seqqa's bundler leaves out.`,
    {
      exitStatus: 2,
      hint: "Compile the code with tsc, and name the compiled .js file instead of the source. Or start the API with target.command.",
    },
  );
}
