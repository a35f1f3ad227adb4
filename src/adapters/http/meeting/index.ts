export { choosePoints } from "./choose-points.ts";
export type { Interval, Meeting, MeetingPlan, MeetingPoint, MeetingPoints } from "./meeting.ts";
