export { planRecording } from "./infer/plan-recording.ts";
export { readRecording } from "./read/index.ts";
