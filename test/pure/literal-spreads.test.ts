import { test } from "vitest";
import { checkLiteralSpreads, literalSpreads } from "../../scripts/support/literal-spreads.ts";

test("no literal is spread", ({ expect }) => {
  expect(checkLiteralSpreads().output).toBe("");
});

test("spread literals are found, and nothing else", ({ expect }) => {
  const code = `const a = { ...base, ${"..."}{ b, c: [1] } };
const list = [
  ${"..."}[1, 2],
  ${"..."}[1, 2].map(twice),
  ...(isOn ? [3] : []),
];
// ${"..."}{ d }
const text = "${"..."}{ e }";
const f = (${"..."}[first, second]: Rest) => call(${"..."}[first]);
`;
  expect(literalSpreads(code)).toEqual([1, 3, 9]);
});
