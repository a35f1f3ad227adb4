export { Action } from "./model/action.ts";
