import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listsOf } from "../../bench/list-requests.ts";
import { ROOT } from "../../scripts/support/paths.ts";

/** `npm run bench` takes ten minutes: this notices in a second that a list cannot be measured by it. */

const FILLED = { automationId: 1, webhookId: 2, channelId: 3, postId: 4, conversationId: 5, middle: "2026-11-01" };

test("the bench has a value for each filter and id of every list in the document", () => {
  const document = readFileSync(join(ROOT, "docs", "openapi.json"), "utf8");
  const lists = listsOf(FILLED);
  expect(lists).toHaveLength([...document.matchAll(/"name": "limit"/g)].length);
  for (const { path, filters } of lists) {
    expect(path).not.toContain("{");
    expect(filters.map(({ query }) => query)).toContainEqual(expect.stringMatching(/^(channels=[a-z,]+)?$/));
  }
});
