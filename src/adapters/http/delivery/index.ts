export { choosePoints } from "./choose-points.ts";
export type { DeliveryTrial, DeliveryPoint, DeliveryPoints } from "./delivery.ts";
