import { z } from "@hono/zod-openapi";
import { invalid } from "../../core/errors.ts";
import { grouped } from "../../core/sentences.ts";
import { cursorPage } from "../../http/cursor-page.ts";
import { type As, operation } from "../../http/operation.ts";
import { examplePage, pageView, paginate, reached } from "../../http/page.ts";
import { PostContentView, toContentView } from "../content/content-view.ts";
import { readCursor, writeCursor } from "../lists/cursor.ts";
import { type ListedPost, listPosts, listPostsByCursor, MAX_SCANNED, MAX_SCANNED_OF_USER } from "../lists/list.ts";
import { orderOf, type Position } from "../lists/list-query.ts";
import { toFilter } from "../lists/list-schema.ts";
import { ListPostsQuery } from "../schema.ts";
import { isContent } from "../store.ts";
import { EXAMPLE_POST, PostView, toPostView } from "../view-schema.ts";

const ListedView = z.union([PostContentView, PostView]);

const PostPageView = pageView(ListedView, "PostPage");

type Query = z.output<typeof ListPostsQuery>;

export const GetPosts = operation({
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
  run: async (as, { query }) => {
    const posts = query.cursor === undefined ? await numbered(as, query) : await walked(as, query, query.cursor);
    return { posts, status: true } as const;
  },
});

function listingOf({ limit, include, ...query }: Query) {
  return { filter: toFilter(query), limit, withContent: include !== undefined };
}

async function numbered(as: As, query: Query) {
  const { deps, caller } = as;
  const listing = { ...listingOf(query), page: query.page ?? 1 };
  const found = reached(await as.paced((turn) => listPosts(deps, caller.projectId, { ...listing, turn })));
  if (found.isCapped) as.warn("More posts match than total shows. Use cursor to read all of them.");
  const nextCursor = await cursorOf(as, found.next);
  const page = paginate(as.url, { ...found, nextCursor }, viewOf(as));
  return query.include === undefined ? page : { ...page, next_cursor: nextCursor };
}

async function walked(as: As, query: Query, cursor: string) {
  const { deps, caller } = as;
  const listing = listingOf(query);
  const since = await readCursor(deps.config.signingKey, caller.projectId, cursor);
  if (since !== null && since.order !== orderOf(listing.filter)) {
    const sentence = "cursor must belong to a list in this order. Leave it empty to start with these filters.";
    throw invalid({ cursor: [sentence] });
  }
  const { items, next } = await listPostsByCursor(deps, caller.projectId, { ...listing, since });
  const data = items.map(viewOf(as));
  return cursorPage(as.url, { data, limit: listing.limit, nextCursor: await cursorOf(as, next) });
}

function viewOf(as: As) {
  const { caller, deps } = as;
  const shows = { caller, origin: as.origin, sandboxUrl: deps.config.sandboxUrl };
  return (post: ListedPost) => (isContent(post) ? toContentView(post, shows) : toPostView(post, shows.origin));
}

async function cursorOf(as: As, next: Position | null): Promise<string | null> {
  const { deps, caller } = as;
  return next && (await writeCursor(deps.config.signingKey, caller.projectId, next));
}
