import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { CONSOLE } from "../../src/console/catalog.ts";
import type { ActionEntry } from "../../src/console/definition.ts";
import { formsOf, type Page } from "../support/browser.ts";
import { CONSOLE_URL, type Owned } from "./console-browser.ts";
import { ownerOf, ROWS, rowOf } from "./project-rows.ts";

/**
 * An action that sets something ends the same however often it is sent: each form that a page of the catalog
 * shows for one is sent twice as it stands, and the tables are as after the first time. Times, counters of
 * changes and logs may grow. Forms that need more than the page shows are not sent. What creates or acts is
 * in forms-twice.test.ts.
 */

/** Each request makes a new link, and ends the one before: what the page shows last is valid. */
const RENEWING = ["/projects/:project/posts/:post/approval-link"];

const SETTING = CONSOLE.filter((entry) => entry.kind === "action").filter(
  ({ effect, scope, path }) => effect === "sets" && scope !== "anyone" && !RENEWING.includes(path),
);

/** What each request writes, whatever it does: logs of who requested what, and counters of requests. */
const BESIDE = [
  "audit_entries",
  "events",
  "sessions",
  "rate_buckets",
  "allowances",
  "connect_sessions",
  "used_challenges",
];
/** Columns that may differ: times, counters of changes and guesses, the place in line of recurring work. */
const CHANGING = /(_at|_until|revision|version|outbox|seen|id|attempts|turn)$/;

async function tablesNow(): Promise<Readonly<Record<string, readonly string[]>>> {
  const { results } = await env.DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_cf_*'",
  ).all<{ name: string }>();
  const names = results.map(({ name }) => name).filter((name) => !BESIDE.includes(name));
  const rows = await env.DB.batch<Record<string, unknown>>(
    names.map((name) => env.DB.prepare(`SELECT * FROM "${name}"`)),
  );
  return Object.fromEntries(
    names.map((name, at) => [
      name,
      (rows[at]?.results ?? [])
        .map((row) => JSON.stringify(Object.entries(row).filter(([column]) => !CHANGING.test(column))))
        .toSorted(),
    ]),
  );
}

/** The address of a path of the catalog, with the ids of the owner's rows; null if the owner has none. */
async function addressOf(path: string, owner: Owned): Promise<string | null> {
  const [, part] = /:(?!project\b)(\w+)/.exec(path) ?? [];
  const row = part === undefined ? {} : await rowOf(part, owner).catch(() => null);
  if (row === null || (part !== undefined && !ROWS[part])) return null;
  const id = part === undefined ? "" : String(row[ROWS[part]?.id ?? ""]);
  return `${CONSOLE_URL}${path.replace(":project", String(owner.id)).replace(/:\w+/g, id)}`;
}

interface SentTwice {
  readonly answers: readonly [Page, Page];
  /** Tables that the second sending has changed, with the rows that are new. */
  readonly changed: Readonly<Record<string, readonly string[]>>;
}

/** Null if the page of the action does not show its form. */
async function sentTwice(action: ActionEntry): Promise<SentTwice | null> {
  const [, part = ""] = /:(?!project\b)(\w+)/.exec(action.path) ?? [];
  const owner = await ownerOf(part, action.path);
  const [shown, target] = [await addressOf(action.page, owner), await addressOf(action.path, owner)];
  if (shown === null || target === null) return null;
  const form = formsOf(await owner.browser.go(shown)).find((found) => found.action === target);
  if (!form) return null;
  const first = await owner.browser.send(form, undefined, undefined, () => false);
  const once = await tablesNow();
  const second = await owner.browser.send(form, undefined, undefined, () => false);
  const changed = Object.entries(await tablesNow()).flatMap(([name, rows]) => {
    const before = new Set(once[name]);
    const news = rows.filter((row) => !before.has(row));
    return news.length === 0 && rows.length === once[name]?.length ? [] : [[name, news] as const];
  });
  return { answers: [first, second], changed: Object.fromEntries(changed) };
}

test("a form that sets something is sent twice, and ends the same", { timeout: 600_000 }, async () => {
  const sent: string[] = [];
  const flaws: unknown[] = [];
  for (const action of SETTING) {
    const twice = await sentTwice(action);
    if (!twice) continue;
    const { answers, changed } = twice;
    const broken = answers.filter(({ status }) => status >= 500);
    if (broken.length > 0 || Object.keys(changed).length > 0) flaws.push([action.path, broken.length, changed]);
    if (answers[0].status === 303) sent.push(action.path);
  }
  expect(flaws).toEqual([]);
  expect(sent.length).toBeGreaterThan(35);
});
