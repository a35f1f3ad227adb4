export { Feed } from "./feed.ts";
export { LaneDesk, type OpenLane } from "./lane-desk.ts";
export type * from "./messages.ts";
export { UiServer } from "./ui-server.ts";
