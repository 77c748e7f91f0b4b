import { z } from "@hono/zod-openapi";
import { Done, operation } from "../../http/operation.ts";
import { idOfCursor } from "../../http/page.ts";
import { listLibrary } from "../library.ts";
import { EXAMPLE_LIBRARY_FILE, LibraryFileView, LibraryQuery, toLibraryView } from "../schema.ts";
import { COMMON } from "./common.ts";

export const ListMedia = operation({
  ...COMMON,
  id: "listMedia",
  method: "get",
  path: "/social/get-media",
  summary: "List the media library",
  description:
    "The files that are kept, the newest first. A page of a search may have fewer files than `limit`, or none: continue while `next_cursor` is not null.",
  query: LibraryQuery,
  answer: z.object({ media: z.array(LibraryFileView), next_cursor: z.string().nullable(), status: Done }),
  answerDescription: "The files.",
  example: { media: [EXAMPLE_LIBRARY_FILE], next_cursor: null, status: true },
  run: async ({ deps, caller, origin }, { query }) => {
    const { search, tag, kind = null, cursor = "", limit } = query;
    const filter = { search: search || null, tag: tag || null, kind, after: idOfCursor(cursor), limit };
    const { items, next } = await listLibrary(deps.db, caller.projectId, filter);
    const media = items.map((file) => toLibraryView(file, origin));
    return { media, next_cursor: next === null ? null : String(next), status: true } as const;
  },
});
