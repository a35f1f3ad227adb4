export { here, identify, isAlive, type Place, type ProcessIdentity } from "../../stores/processes/process-identity.ts";
