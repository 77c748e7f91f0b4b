import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { media } from "../contract/world.ts";
import { bindings, queuesIdle } from "../support/queue.ts";
import { createPost, findPost, projectWith } from "../support/world.ts";

/** What counting writes: at most two rows for a post, in the transactions that are written anyway. */

const COUNTING = /^insert into "(usage|post_costs)"/i;

/** The rows that statements of counting have written through this database, and the D1 calls of their own. */
function watched(inner: D1Database) {
  const counts = { rows: 0, calls: 0 };
  const queries = new WeakMap<object, string>();
  const tag = (statement: D1PreparedStatement, query: string): D1PreparedStatement => {
    queries.set(statement, query);
    const bind = statement.bind.bind(statement);
    statement.bind = (...values: unknown[]) => tag(bind(...values), query);
    return statement;
  };
  const database: D1Database = new Proxy(inner, {
    get(target, property) {
      if (property === "prepare") return (query: string) => tag(target.prepare(query), query);
      if (property === "batch") {
        return async (statements: D1PreparedStatement[]) => {
          const results = await target.batch(statements);
          const isCounting = statements.map((one) => COUNTING.test(queries.get(one) ?? ""));
          for (const [at, { meta }] of results.entries()) if (isCounting[at]) counts.rows += meta.rows_written;
          if (isCounting.every(Boolean)) counts.calls++;
          return results;
        };
      }
      const member: unknown = Reflect.get(target, property);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
  return { counts, database };
}

const text = () => `${crypto.randomUUID()} said`;
const thread = (links: readonly boolean[]) => ({
  post_type: "thread",
  twitter_threads: links.map((hasLink) => ({ message: hasLink ? `${text()} example.com` : text(), media_urls: [] })),
});
const picture = () => `${media("square.jpg")}?${crypto.randomUUID()}`;
const described = (count: number) => ({
  caption_text: text(),
  media_urls: Array.from({ length: count }, picture),
  alt_texts: Array.from({ length: count }, () => "A square"),
});

test.for([
  ["a text", () => ({ caption_text: text() }), 2],
  ["a link", () => ({ caption_text: `${text()} example.com` }), 2],
  ["a thread of two", () => thread([false, false]), 2],
  ["a thread of twelve, some with links", () => thread(Array.from({ length: 12 }, (_, at) => at % 3 === 0)), 2],
  ["four pictures with alt texts", () => described(4), 2],
  [
    "a thread of three with alt texts",
    () => {
      const twitter_threads = [4, 0, 2].map((count) => {
        const { caption_text, ...files } = described(count);
        return { message: caption_text, ...files };
      });
      return { post_type: "thread", twitter_threads };
    },
    2,
  ],
  ["pictures", () => ({ caption_text: text(), media_urls: [picture(), picture()] }), 2],
] as const)("%s", async ([_, body, most]) => {
  const { project, channel } = await projectWith("twitter");
  await createPost(project, channel, { caption_text: text() });
  await queuesIdle();
  const { counts, database } = watched(env.DB);
  Object.defineProperty(bindings, "DB", { configurable: true, value: database });
  try {
    const id = await createPost(project, channel, body());
    await queuesIdle();
    expect(await findPost(project, id)).toMatchObject({ STATUS: "published" });
  } finally {
    Object.defineProperty(bindings, "DB", { configurable: true, value: env.DB });
  }
  expect(counts.rows).toBeGreaterThan(0);
  expect(counts.rows).toBeLessThanOrEqual(most);
  expect(counts.calls).toBe(0);
});
