import { join } from "node:path";
import ts from "typescript";

/** Returns the complaints of the compiler about a folder with its own tsconfig.json, each with file and line. */
export function typeErrors(folder: string): readonly string[] {
  const { config } = ts.readConfigFile(join(folder, "tsconfig.json"), (path) => ts.sys.readFile(path));
  const { options, fileNames, errors } = ts.parseJsonConfigFileContent(config, ts.sys, folder);
  if (options.strict !== true) throw new Error(`${folder} is not checked strictly.`);
  const program = ts.createProgram(fileNames, options, hostOf(options, folder));
  return [...errors, ...ts.getPreEmitDiagnostics(program)].map(({ file, start, messageText }) => {
    const at = file === undefined || start === undefined ? "" : `${file.fileName}:${file.getLineAndCharacterOfPosition(start).line + 1}: `;
    return at + ts.flattenDiagnosticMessageText(messageText, "\n");
  });
}

/**
 * Parsed declarations outside of the checked folders, by settings and path. They are kept, because parsing the declarations of the compiler, of Node
 * and of seqqa takes most of the time.
 */
const parsed = new Map<string, ts.SourceFile | undefined>();

function hostOf(options: ts.CompilerOptions, folder: string): ts.CompilerHost {
  const host = ts.createCompilerHost(options, true);
  const settings = JSON.stringify({ ...options, configFilePath: undefined });
  return {
    ...host,
    getSourceFile: (path, ...rest) => {
      if (path.startsWith(folder)) return host.getSourceFile(path, ...rest);
      const key = `${settings}\n${path}`;
      if (!parsed.has(key)) parsed.set(key, host.getSourceFile(path, ...rest));
      return parsed.get(key);
    },
  };
}
