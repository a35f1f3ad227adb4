export { here, identify, isAlive, type Place, type ProcessIdentity } from "../../stores/process-identity.ts";
