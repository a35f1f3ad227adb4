import type { Config, FaultsConfig, LaneConfig, RacesConfig, SystemConfig } from "../config.ts";

/** A store as it was written, without its kind, which follows from the URL. */
export type FilledSystem = Omit<SystemConfig, "kind">;

/** The table's values with defaults, before values that are derived from them. */
export type Filled = Omit<Config, "systems" | "tls" | "lanes" | "parallel" | "exploration" | "folder" | "file" | "sources" | "target"> & {
  readonly systems: Readonly<Record<string, FilledSystem>> | undefined;
  readonly lanes: readonly FilledLane[] | undefined;
  readonly tls: { readonly caFile: string | undefined } | undefined;
  readonly parallel: number | "auto";
  readonly exploration: Omit<Config["exploration"], "races" | "faults"> & {
    readonly races: "off" | "pairs" | Omit<RacesConfig, "mode">;
    readonly faults: "off" | "on" | Omit<FaultsConfig, "mode">;
  };
  readonly target:
    | (Omit<NonNullable<Config["target"]>, "env" | "cwd"> & {
        readonly env: Record<string, string> | undefined;
        readonly cwd: string | undefined;
      })
    | undefined;
};

export type FilledLane = Omit<LaneConfig, "systems"> & { readonly systems: Readonly<Record<string, FilledSystem>> | undefined };

/** Facts about the values that the values themselves do not hold. */
export interface FilledContext {
  readonly folder: string;
  readonly file: string | undefined;
  readonly sources: Readonly<Record<string, string>>;
  readonly noInfra: boolean;
  /** See {@link Config.allowedStores}. */
  readonly allowedStores: readonly string[];
}
