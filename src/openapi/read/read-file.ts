import { constants, realpathSync } from "node:fs";
import { open } from "node:fs/promises";
import { isAbsolute, relative } from "node:path";
import { decodeText } from "./decode-text.ts";
import { problem } from "../problem.ts";
import type { Loaded } from "./source.ts";

/** The maximum size in bytes of a description and of each file that it refers to. GitHub's description has 13 million bytes. */
export const MOST_BYTES: number = 64 * 1024 * 1024;

/**
 * Reads an OpenAPI description from a file.
 * @param path An absolute path.
 * @throws SeqqaError `DESCRIPTION_NOT_FOUND`, `DESCRIPTION_UNREADABLE`, `DESCRIPTION_TOO_LARGE`
 */
export async function readFile(path: string, cwd: string): Promise<Loaded> {
  const fromHere = relative(cwd, path);
  const name = fromHere.startsWith("..") || isAbsolute(fromHere) ? path : fromHere || ".";
  try {
    const found = realpathSync(path);
    // Open with `O_NONBLOCK`, because opening a named pipe would otherwise wait for a writer.
    const file = await open(found, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stat = await file.stat();
      if (!stat.isFile())
        throw problem(
          "DESCRIPTION_UNREADABLE",
          `${name} is ${stat.isDirectory() ? "a folder" : "a special file"}, not a description.`,
          "Give the path of the description file itself.",
        );
      if (stat.size > MOST_BYTES) throw tooLarge(name);
      return { source: { kind: "file", path: found }, name, text: decodeText(await file.readFile(), name) };
    } finally {
      await file.close();
    }
  } catch (error) {
    throw readable(error as NodeJS.ErrnoException, name);
  }
}

export function tooLarge(name: string): Error {
  return problem(
    "DESCRIPTION_TOO_LARGE",
    `${name} has more than ${MOST_BYTES / 1024 / 1024} MB.`,
    "Give a description of a smaller part of the API.",
  );
}

function readable(error: NodeJS.ErrnoException, name: string): Error {
  switch (error.code) {
    case "ENOENT":
    case "ENOTDIR":
      return problem("DESCRIPTION_NOT_FOUND", `The file ${name} does not exist.`, "Give the path or the URL of an OpenAPI description.");
    case "EACCES":
    case "EPERM":
      return problem("DESCRIPTION_UNREADABLE", `seqqa cannot read ${name}: permission denied.`);
    case "EISDIR":
      return problem("DESCRIPTION_UNREADABLE", `${name} is a folder, not a description.`);
    case "ELOOP":
      return problem("DESCRIPTION_UNREADABLE", `seqqa cannot read ${name}, because its symbolic links lead in a circle.`);
    default:
      return error;
  }
}
