export { here, identify, isAlive, type Place, type ProcessIdentity } from "../../systems/process-identity.ts";
