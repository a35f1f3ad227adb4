/** What figures were measured on; scripts/machine.mjs and scripts/bench-bundle.mjs say it. */
export interface Origin {
  readonly machine: {
    readonly cpu: string;
    readonly cores: number;
    readonly memoryGiB: number;
    readonly node: string;
    readonly os: string;
  };
  readonly commit: string;
  readonly date: string;
}
