import { expect, test } from "vitest";
import { LISTED } from "../../scripts/support/statement-list.ts";
import { findUnbounded, findUnindexedKeys } from "../../scripts/support/statements.ts";

/** What the check finds that follows every run of the tests (scripts/test.ts). */

const idList = "IN (SELECT value FROM json_each(?))";

test.for([
  ["a scan", "SELECT id FROM posts WHERE caption = ?", /SCAN posts/],
  ["a scan under another name", "SELECT p.id FROM posts AS p WHERE p.caption = ?", /SCAN p/],
  ["a scan inside", "SELECT * FROM (SELECT id FROM comments WHERE text = ?) AS found", /SCAN comments/],
  ["an upsert", "UPDATE jobs SET run_at = ? WHERE project_id = ? AND kind = ?", /SCAN jobs/],
  [
    "a sort",
    "SELECT id FROM posts WHERE project_id = ? AND deleted_at IS NULL ORDER BY id",
    /TEMP B-TREE FOR ORDER BY/,
  ],
  [
    "ids by the project",
    `SELECT page FROM posts_at_rest WHERE project_id = ? AND posts_at_rest.id ${idList}`,
    /ids are listed/,
  ],
  ["the same without a name", `SELECT page FROM posts_at_rest WHERE project_id = ? AND id ${idList}`, /ids are listed/],
] as const)("%s is found", ([, text, problem]) => {
  expect(findUnbounded([text], LISTED).join("\n")).toMatch(problem);
});

test.for([
  "SELECT caption FROM posts WHERE id = ? AND project_id = ?",
  `SELECT page FROM posts_at_rest WHERE (posts_at_rest.id ${idList} AND +posts_at_rest.project_id = ?)`,
  `SELECT caption FROM posts WHERE id ${idList} ORDER BY caption`,
  "SELECT id FROM tokens WHERE project_id = ? ORDER BY id LIMIT 10",
  "CREATE TRIGGER IF NOT EXISTS one BEFORE DELETE ON posts BEGIN SELECT 1; END",
])("%s reads what it needs", (text) => {
  expect(findUnbounded([text], LISTED)).toEqual([]);
});

test("each statement of the list has its bound and reason, and one that is not meant is found beside it", () => {
  for (const { bound, reason } of LISTED) expect(Math.min(bound.length, reason.length)).toBeGreaterThan(3);
  const listed = 'select "name", "value" from "sweep_notes"';
  expect(findUnbounded([listed], LISTED)).toEqual([]);
  expect(findUnbounded([listed], [])).toHaveLength(1);
  expect(findUnbounded([`${listed}, posts WHERE caption = ?`], LISTED).join("\n")).toMatch(/posts/);
});

test("no row that goes makes SQLite go through a table for a foreign key", () => {
  expect(findUnindexedKeys()).toEqual([]);
});
