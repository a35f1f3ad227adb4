import type { Config, FaultsConfig, LaneConfig, RacesConfig, SystemConfig } from "../config.ts";

/** A store as the user wrote it in the configuration, without its kind. The kind is added later, because it follows from the URL. */
export type FilledSystem = Omit<SystemConfig, "kind">;

/** The configuration with defaults, before derived values are added, for example the number of lanes for `parallel: auto`. */
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

export interface FilledContext {
  readonly folder: string;
  readonly file: string | undefined;
  readonly sources: Readonly<Record<string, string>>;
  readonly noInfra: boolean;
  /** The names of stores that the user allows seqqa to write. See {@link Config.allowedStores}. */
  readonly allowedStores: readonly string[];
}
