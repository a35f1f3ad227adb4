import type { Metafile } from "esbuild";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { SeqqaError } from "../model/errors.ts";
import { shownPath } from "./shown-path.ts";

/** A TypeORM column whose type is only in the type of the property. */
const UNTYPED_COLUMN = /@(?:Column|PrimaryColumn)\(\s*\)/;
/** The constructor of a class that NestJS creates, if its first parameter has no decorator that names the value. */
const INJECTED =
  /(?<=@(?:Injectable|Controller|Catch|Resolver|WebSocketGateway)\([^)]*\)[^{}()]*(?:@\w+\([^)]*\)[^{}()]*)*class\s[^{]*\{[^}]*?)\bconstructor\(\s*(?:(?:private|public|protected|readonly)\s+)+\w+\s*:\s*[A-Z]/;
const CREATES = /\bNestFactory\b|\bcreateTestingModule\b/;

/**
 * Throws an error if code in a bundle cannot work without `emitDecoratorMetadata`, which esbuild ignores. NestJS would end seqqa's process with an error
 * of its own.
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
  for (const { file, text } of await importing(/^typeorm$/)) refuse(file, text, UNTYPED_COLUMN);
  const creators = await importing(/^@nestjs\/(?:core|testing)$/);
  if (!creators.some(({ text }) => CREATES.test(text))) return;
  for (const { file, text } of await importing(/^@nestjs\//)) refuse(file, text, INJECTED);
}

function refuse(file: string, text: string, pattern: RegExp): void {
  const found = pattern.exec(text);
  if (found === null) return;
  const lines = text.slice(0, found.index).split("\n");
  throw new SeqqaError(
    "LOAD_METADATA",
    `${shownPath(file)}:${lines.length}:${lines.at(-1)!.length + 1}: this decorator needs the types of the code (emitDecoratorMetadata), which seqqa's bundler leaves out.`,
    { exitStatus: 2, hint: "Compile the code and name the .js file, or start the API with target.command." },
  );
}
