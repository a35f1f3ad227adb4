export { measureStrength, type SpoiltPlace, type SpoiltSteps, type Strength } from "./measure.ts";
export { strengthLines } from "./strength-lines.ts";
