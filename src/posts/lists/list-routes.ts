import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { invalid } from "../../core/errors.ts";
import { grouped } from "../../core/sentences.ts";
import type { Api } from "../../http/api.ts";
import { cursorPage } from "../../http/cursor-page.ts";
import type { AppEnv } from "../../http/environment.ts";
import { operation } from "../../http/operation.ts";
import { apiOrigin, apiUrl } from "../../http/origin.ts";
import { readPaced } from "../../http/paced-page.ts";
import { examplePage, pageView, paginate, reached } from "../../http/page.ts";
import { warn } from "../../http/warnings.ts";
import { PostContentView, toContentView } from "../content/content-view.ts";
import { ListPostsQuery } from "../schema.ts";
import { isContent } from "../store.ts";
import { EXAMPLE_POST, PostView, toPostView } from "../view-schema.ts";
import { readCursor, writeCursor } from "./cursor.ts";
import { type ListedPost, listPosts, listPostsByCursor, MAX_SCANNED, MAX_SCANNED_OF_USER } from "./list.ts";
import { orderOf, type Position } from "./list-query.ts";
import { toFilter } from "./list-schema.ts";

const ListedView = z.union([PostContentView, PostView]);
const PostPageView = pageView(ListedView, "PostPage");

/** The routes of spec 4.3. */
export function postListRoutes(app: Api): void {
  app.openapi(
    operation({
      id: "getPosts",
      method: "get",
      path: "/social/get-posts",
      tag: "Posts",
      permission: "social-read-posts",
      permits: "to read posts",
      summary: "List posts",
      description: `Posts on the given channels, newest first, page by page. Page numbers work within 10,000 posts of either end; a page between returns a 422. To read many posts, use \`cursor\`. \`total\` is exact for \`channels\`, \`channel_type\` and \`status\`. With \`channel_id\`, \`user_id\`, times or \`external_id\` it counts up to 10,000 posts. If \`external_id\` is combined with another filter, times of publication with more than \`channels\` and \`status\`, or the status \`published\` with a channel or a user, the newest ${grouped(MAX_SCANNED)} posts of one filter are searched for the other filters (${grouped(MAX_SCANNED_OF_USER)} with \`user_id\`). The same applies if \`user_id\` has very many channels (more than 32 with a \`limit\` of 10, 176 with 100; 14 and 76 with some \`status\`). \`total_is_capped\` is present if there are more posts; \`next_page_url\` of the last page continues by cursor. With a cursor, a page of such filters may have fewer posts than \`limit\`, or none: continue until \`next_cursor\` is null.`,
      query: ListPostsQuery,
      answer: z.object({
        posts: PostPageView,
        status: z.literal(true),
      }),
      answerDescription: "A page of posts.",
      example: {
        posts: examplePage("get-posts?channels=facebook", EXAMPLE_POST),
        status: true,
      },
    }),
    async (c) => {
      const query = c.req.valid("query");
      const posts = query.cursor === undefined ? await numbered(c, query) : await walked(c, query, query.cursor);
      return c.json({ posts, status: true } as const, 200);
    },
  );
}

type Query = z.output<typeof ListPostsQuery>;

function listingOf({ limit, include, ...query }: Query) {
  return { filter: toFilter(query), limit, withContent: include !== undefined };
}

async function numbered(c: Context<AppEnv>, query: Query) {
  const { deps, caller } = c.var;
  const listing = { ...listingOf(query), page: query.page ?? 1 };
  const found = reached(await readPaced(c, (turn) => listPosts(deps, caller.projectId, { ...listing, turn })));
  if (found.isCapped) warn(c, "More posts match than total shows. Use cursor to read all of them.");
  const nextCursor = await cursorOf(c, found.next);
  const page = paginate(apiUrl(c), { ...found, nextCursor }, viewOf(c));
  return query.include === undefined ? page : { ...page, next_cursor: nextCursor };
}

async function walked(c: Context<AppEnv>, query: Query, cursor: string) {
  const { deps, caller } = c.var;
  const listing = listingOf(query);
  const since = await readCursor(deps.config.signingKey, caller.projectId, cursor);
  if (since !== null && since.order !== orderOf(listing.filter)) {
    const sentence = "cursor must belong to a list in this order. Leave it empty to start with these filters.";
    throw invalid({ cursor: [sentence] });
  }
  const { items, next } = await listPostsByCursor(deps, caller.projectId, { ...listing, since });
  const data = items.map(viewOf(c));
  return cursorPage(apiUrl(c), { data, limit: listing.limit, nextCursor: await cursorOf(c, next) });
}

function viewOf(c: Context<AppEnv>) {
  const { caller, deps } = c.var;
  const shows = { caller, origin: apiOrigin(c), sandboxUrl: deps.config.sandboxUrl };
  return (post: ListedPost) => (isContent(post) ? toContentView(post, shows) : toPostView(post, shows.origin));
}

async function cursorOf(c: Context<AppEnv>, next: Position | null): Promise<string | null> {
  const { deps, caller } = c.var;
  return next && (await writeCursor(deps.config.signingKey, caller.projectId, next));
}
