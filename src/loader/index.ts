export { bundle, startBundler, type Bundle } from "./bundle.ts";
export { discover } from "./discover.ts";
export { loadExtension, type Extension, type ExtensionPlace } from "./extension.ts";
export { filesBelow } from "./files-below.ts";
export { importedFiles } from "./imported-files.ts";
export { load } from "./load.ts";
export { mapStack, whereOf } from "./stack.ts";
