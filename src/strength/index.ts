export { measureStrength, type SpoiltPlace, type SpoiltSteps, type Strength } from "./measure.ts";
export { strengthLines, strengthSummary } from "./strength-lines.ts";
