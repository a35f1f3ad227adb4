/** Published defects: the version that has it, and the one that fixes it. */
export const PAIRS = [
  {
    name: "better-auth-reset",
    package: "better-auth",
    versions: ["1.6.16", "1.6.17"],
    advisory: "one reset token is accepted several times at once",
    before: "2026-08-01",
  },
];
