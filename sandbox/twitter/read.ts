// Reads on X: the current user, lookups, timelines, mentions and reply search.

import { Hono } from "hono";
import { z } from "zod";
import type { Sandbox } from "../sandbox";
import { count, id, instant, invalid, notFoundEntry, type TwitterContext, type TwitterEnv } from "./api";
import { readAsked, type Wanted } from "./dialect";
import { endpoint } from "./endpoint";
import { includes, postView, postViews, privateErrors, userView } from "./fields";
import { parseSearch } from "./search";
import { byIdDescending, findPost, findUser, findUserNamed, type PostRow, snowflakeTime } from "./store";
import { mentions } from "./text";

const WEEK_MS = 7 * 86_400_000;
const READ = ["tweet.read", "users.read"];

const Window = {
  since_id: id.optional(),
  until_id: id.optional(),
  start_time: instant.optional(),
  end_time: instant.optional(),
  pagination_token: z.string().optional(),
};
const Timeline = z.object({
  max_results: count(5, 100).optional(),
  exclude: z
    .string()
    .regex(/^(replies|retweets)(,(replies|retweets))?$/)
    .optional(),
  ...Window,
});
const Mentions = z.object({ max_results: count(5, 100).optional(), ...Window });
const Search = z.object({
  query: z.string().min(1).max(512),
  max_results: count(10, 100).optional(),
  next_token: z.string().optional(),
  sort_order: z.enum(["recency", "relevancy"]).optional(),
  ...Window,
});
const Nothing = z.object({});

export function readRoutes(sandbox: Sandbox) {
  const app = new Hono<TwitterEnv>();
  const status = (name: string, limit: number) => endpoint(sandbox, { name, limit, operation: "status", scopes: READ });
  const comments = (name: string, limit: number) =>
    endpoint(sandbox, { name, limit, operation: "comments", scopes: READ });
  const account = (name: string, limit: number) => endpoint(sandbox, { name, limit, operation: null, scopes: READ });

  app.get("/2/users/me", ...account("GET /2/users/me", 75), (c) => {
    const { want } = readAsked(sandbox, c, Nothing, "user");
    const me = findUser(sandbox, c.var.caller.userId);
    if (!me) return c.json({ errors: [notFoundEntry("user", "id", c.var.caller.userId)] });
    return c.json({ data: userView(sandbox, me, want, c.env.origin) });
  });

  app.get("/2/users/by/username/:username", ...account("GET /2/users/by", 900), (c) => {
    const { want } = readAsked(sandbox, c, Nothing, "user");
    const user = findUserNamed(sandbox, c.req.param("username"));
    if (!user) return c.json({ errors: [notFoundEntry("user", "username", c.req.param("username"))] });
    return c.json({ data: userView(sandbox, user, want, c.env.origin) });
  });

  app.get("/2/users/:id{\\d+}", ...account("GET /2/users/:id", 900), (c) => {
    const { want } = readAsked(sandbox, c, Nothing, "user");
    const user = findUser(sandbox, c.req.param("id"));
    if (!user) return c.json({ errors: [notFoundEntry("user", "id", c.req.param("id"))] });
    return c.json({ data: userView(sandbox, user, want, c.env.origin) });
  });

  app.get("/2/users/:id{\\d+}/tweets", ...status("GET /2/users/:id/tweets", 900), (c) => {
    const { query, want } = readAsked(sandbox, c, Timeline);
    const user = findUser(sandbox, c.req.param("id"));
    if (!user) return c.json({ errors: [notFoundEntry("user", "id", c.req.param("id"))] });
    const posts = sandbox.db
      .all<PostRow>("SELECT * FROM twitter_posts WHERE author_id = ? ORDER BY id DESC LIMIT 3200", user.id)
      .filter((post) => isListed(sandbox, post))
      .filter((post) => !query.exclude?.includes("replies") || post.reply_to === null);
    return c.json(listing(sandbox, c, posts, { ...query, want }));
  });

  app.get("/2/users/:id{\\d+}/mentions", ...comments("GET /2/users/:id/mentions", 300), (c) => {
    const { query, want } = readAsked(sandbox, c, Mentions);
    const user = findUser(sandbox, c.req.param("id"));
    if (!user) return c.json({ errors: [notFoundEntry("user", "id", c.req.param("id"))] });
    const posts = sandbox.db
      .all<PostRow>("SELECT * FROM twitter_posts WHERE author_id <> ? ORDER BY id DESC", user.id)
      .filter((post) => isListed(sandbox, post))
      .filter(
        (post) => post.in_reply_to_user_id === user.id || mentions(post.text).includes(user.username.toLowerCase()),
      );
    return c.json(listing(sandbox, c, posts.slice(0, 800), { ...query, want }));
  });

  app.get("/2/tweets/search/recent", ...comments("GET /2/tweets/search/recent", 300), (c) => {
    const { query, want } = readAsked(sandbox, c, Search);
    const now = sandbox.now();
    const oldest = Math.min(
      query.start_time ?? now,
      query.since_id === undefined ? now : snowflakeTime(query.since_id),
    );
    if (oldest < now - WEEK_MS) {
      const parameter = query.since_id === undefined ? "start_time" : "since_id";
      throw invalid(`'${parameter}' must be after ${sandbox.iso(now - WEEK_MS)}.`, parameter);
    }
    const matches = parseSearch(sandbox, query.query);
    const end = query.end_time ?? now - sandbox.settings.all.twitter_search_lag_ms;
    const posts = sandbox.db
      .all<PostRow>(
        "SELECT * FROM twitter_posts WHERE created_at > ? AND created_at <= ? ORDER BY id DESC",
        Math.max(now - WEEK_MS, (query.start_time ?? 0) - 1),
        end,
      )
      .filter((post) => isListed(sandbox, post) && matches(post));
    const pagination_token = query.next_token ?? query.pagination_token;
    return c.json(listing(sandbox, c, posts, { ...query, pagination_token, want }));
  });

  app.get("/2/tweets/:id{\\d+}", ...status("GET /2/tweets/:id", 900), (c) => {
    const { want } = readAsked(sandbox, c, Nothing);
    const post = findPost(sandbox, c.req.param("id"));
    if (!post) return c.json({ errors: [notFoundEntry("tweet", "id", c.req.param("id"))] });
    return c.json({ data: postView(sandbox, post, want), ...includes(sandbox, [post], want, c.env.origin) });
  });

  const insights = endpoint(sandbox, { name: "GET /2/tweets", limit: 5000, operation: "insights", scopes: READ });
  app.get("/2/tweets", ...insights, (c) => {
    const { query, want } = readAsked(
      sandbox,
      c,
      z.object({ ids: z.string().regex(/^\d{1,19}(,\d{1,19}){0,99}$/, "must be 1 to 100 ids") }),
    );
    const ids = query.ids.split(",");
    const posts = ids.flatMap((one) => findPost(sandbox, one) ?? []);
    const gone = ids.filter((one) => !posts.some((post) => post.id === one));
    const { userId } = c.var.caller;
    const errors = [
      ...gone.map((one) => notFoundEntry("tweet", "ids", one)),
      ...privateErrors(sandbox, posts, want, userId),
    ];
    return c.json({
      ...(posts.length > 0 ? { data: postViews(sandbox, posts, want, userId) } : {}),
      ...includes(sandbox, posts, want, c.env.origin),
      ...(errors.length > 0 ? { errors } : {}),
    });
  });

  return app;
}

/** Timelines, mentions and search show a new post after a delay; a look-up by id finds it at once. */
const isListed = (sandbox: Sandbox, post: PostRow) =>
  post.created_at <= sandbox.now() - sandbox.settings.all.twitter_listing_lag_ms;

interface Range {
  since_id?: string | undefined;
  until_id?: string | undefined;
  start_time?: number | undefined;
  end_time?: number | undefined;
}

interface Listed extends Range {
  max_results?: number | undefined;
  pagination_token?: string | undefined;
  want: Wanted;
}

/** One page of posts, newest first. An empty result has no `data` field. */
function listing(
  sandbox: Sandbox,
  c: TwitterContext,
  found: PostRow[],
  { want, max_results: size = 10, pagination_token: token, ...query }: Listed,
) {
  const number = (value: string) => BigInt(value);
  const start = query.start_time ?? Number.NEGATIVE_INFINITY;
  const end = query.end_time ?? Number.POSITIVE_INFINITY;
  const posts = found
    .sort(byIdDescending)
    .filter(
      (post) =>
        (query.since_id === undefined || number(post.id) > number(query.since_id)) &&
        (query.until_id === undefined || number(post.id) < number(query.until_id)) &&
        post.created_at >= start &&
        post.created_at < end,
    );
  const from = token === undefined ? 0 : posts.findIndex((post) => number(post.id) < readToken(token));
  const page = from < 0 ? [] : posts.slice(from, from + size);
  const [newest, oldest] = [page[0], page.at(-1)];
  if (!newest || !oldest) return { meta: { result_count: 0 } };
  const hasMore = from + page.length < posts.length;
  return {
    data: postViews(sandbox, page, want),
    ...includes(sandbox, page, want, c.env.origin),
    meta: {
      newest_id: newest.id,
      oldest_id: oldest.id,
      result_count: page.length,
      ...(hasMore ? { next_token: `7140${number(oldest.id).toString(36)}` } : {}),
    },
  };
}

function readToken(token: string): bigint {
  const digits = /^7140([0-9a-z]{1,14})$/.exec(token)?.[1];
  if (digits === undefined) throw invalid("The pagination token is not valid.", "pagination_token", token);
  let value = 0n;
  for (const digit of digits) value = value * 36n + BigInt(Number.parseInt(digit, 36));
  return value;
}
