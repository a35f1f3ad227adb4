export { choosePoints } from "./choose-points.ts";
export type { Meeting, MeetingPoint, MeetingPoints } from "./delivery.ts";
