/** The machine, commit and date of a measurement. scripts/machine.mjs and scripts/bench-bundle.mjs provide the first two. */
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
