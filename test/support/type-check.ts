import { join } from "node:path";
import ts from "typescript";

/** What the compiler says of a folder by its own tsconfig.json, with the file and the line. */
export function typeErrors(folder: string): readonly string[] {
  const { config } = ts.readConfigFile(join(folder, "tsconfig.json"), (path) => ts.sys.readFile(path));
  const { options, fileNames, errors } = ts.parseJsonConfigFileContent(config, ts.sys, folder);
  if (options.strict !== true) throw new Error(`${folder} is not checked strictly.`);
  const program = ts.createProgram(fileNames, options);
  return [...errors, ...ts.getPreEmitDiagnostics(program)].map(({ file, start, messageText }) => {
    const at = file === undefined || start === undefined ? "" : `${file.fileName}:${file.getLineAndCharacterOfPosition(start).line + 1}: `;
    return at + ts.flattenDiagnosticMessageText(messageText, "\n");
  });
}
