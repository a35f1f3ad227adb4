import { expect, it } from "vitest";
import { countedFiles } from "../../../../src/run/coverage/code/counted-files.ts";
import { lcovText } from "../../../../src/run/coverage/code/lcov-text.ts";

const place = (line: number) => ({ start: { line, column: 0 }, end: { line, column: 9 } });
const branch = (line: number) => ({ line, type: "branch", loc: place(line), locations: [place(line)] });

it("writes lines and branches as lcov has them, with one record for each file", () => {
  const branches = { branchMap: { 0: branch(1), 1: branch(3) }, b: { 0: [4], 1: [0] } };
  const files = [
    { file: "src/a.ts", lines: { 10: 2, 2: 4, 3: 0 }, branches },
    { file: "b\nDA:1,1.ts", lines: {}, branches: { branchMap: {}, b: {} } },
  ];
  expect(lcovText(files)).toBe(
    "TN: SF:src/a.ts BRDA:1,0,0,4 BRDA:3,1,0,0 BRF:2 BRH:1 DA:2,4 DA:3,0 DA:10,2 LF:3 LH:2 end_of_record ".replaceAll(" ", "\n") +
      "TN: SF:b?DA:1,1.ts BRF:0 BRH:0 LF:0 LH:0 end_of_record ".replaceAll(" ", "\n"),
  );
});

it.each([
  [undefined, undefined, "/shop/api/src/a.ts", true],
  [undefined, undefined, "/shop/qa/a.ts", false],
  [undefined, undefined, "/shop/api/node_modules/x/a.js", false],
  [["../api/src/**"], undefined, "/shop/api/src/deep/a.ts", true],
  [["../api/src/*.ts"], undefined, "/shop/api/src/deep/a.ts", false],
  [["../api/**/a.ts"], undefined, "/shop/api/a.ts", true],
  [["../api/**/a.ts"], undefined, "/shop/api/ba.ts", false],
  [["../api/**/constructor"], undefined, "/shop/api/src/constructor/a.ts", true],
  [["../api/a.?s"], undefined, "/shop/api/axts", false],
  [undefined, ["../api/src/generated"], "/shop/api/src/generated/a.ts", false],
  [undefined, ["../api/src/gen*"], "/shop/api/src/a.ts", true],
])("include %j and exclude %j: %s is counted: %s", (include, exclude, file, counted) => {
  const coverage = { openapi: undefined, code: true, include, exclude };
  const target = { cwd: "/shop/api" } as never;
  expect(countedFiles({ coverage, folder: "/shop/qa", target })(file)).toBe(counted);
});
