import { z } from "@hono/zod-openapi";
import type { Api } from "../http/api.ts";
import { operation } from "../http/operation.ts";
import { apiOrigin } from "../http/origin.ts";
import { idOfCursor } from "../http/page.ts";
import { deleteFromLibrary, getLibraryFile, keepInLibrary, listLibrary } from "./library.ts";
import {
  EXAMPLE_LIBRARY_FILE,
  KeepMediaBody,
  LibraryFileDetailView,
  LibraryFileView,
  LibraryQuery,
  MediaParam,
  readMediaId,
  toEntry,
  toLibraryView,
} from "./schema.ts";

const COMMON = { tag: "Media", permission: "social-create-post", extension: true } as const;
const Done = z.literal(true);
const PATH = "/social/media-library/{media_id}";
const DELETED = "The file was deleted.";
const LEFT = "The file left the library. A generated post keeps it: delete that to delete the file.";

/** The media library (docs/decisions/0077): an extension under the permission of uploads. */
export function libraryRoutes(app: Api): void {
  app.openapi(
    operation({
      ...COMMON,
      id: "listMedia",
      method: "get",
      path: "/social/media-library",
      summary: "List the media library",
      description:
        "The files that are kept, the newest first. A page of a search may have fewer files than `limit`, or none: continue while `next_cursor` is not null.",
      query: LibraryQuery,
      answer: z.object({ media: z.array(LibraryFileView), next_cursor: z.string().nullable(), status: Done }),
      answerDescription: "The files.",
      example: { media: [EXAMPLE_LIBRARY_FILE], next_cursor: null, status: true },
    }),
    async (c) => {
      const { deps, caller } = c.var;
      const { search, tag, kind = null, cursor = "", limit } = c.req.valid("query");
      const filter = { search: search || null, tag: tag || null, kind, after: idOfCursor(cursor), limit };
      const { items, next } = await listLibrary(deps.db, caller.projectId, filter);
      const media = items.map((file) => toLibraryView(file, apiOrigin(c)));
      return c.json({ media, next_cursor: next === null ? null : String(next), status: true } as const, 200);
    },
  );

  app.openapi(
    operation({
      ...COMMON,
      id: "getMedia",
      method: "get",
      path: PATH,
      summary: "Get a media file",
      description: "A file of the project, in the library or not, and the posts that need it.",
      params: MediaParam,
      answer: z.object({ media: LibraryFileDetailView, status: Done }),
      answerDescription: "The file.",
      example: { media: { ...EXAMPLE_LIBRARY_FILE, post_ids: [42] }, status: true },
    }),
    async (c) => {
      const { deps, caller } = c.var;
      const name = readMediaId(c.req.valid("param").media_id);
      const { file, postIds } = await getLibraryFile(deps.db, caller.projectId, name);
      const media = { ...toLibraryView(file, apiOrigin(c)), post_ids: [...postIds] };
      return c.json({ media, status: true } as const, 200);
    },
  );

  app.openapi(
    operation({
      ...COMMON,
      id: "keepMedia",
      method: "put",
      path: PATH,
      summary: "Keep a file in the media library",
      description:
        "Keeps an uploaded or generated file until it is deleted, and replaces its title, alternative text and tags. Repeats change nothing.",
      params: MediaParam,
      body: KeepMediaBody,
      answer: z.object({ message: z.string(), media: LibraryFileView, status: Done }),
      answerDescription: "The file is in the library.",
      example: { message: "The file is in the library.", media: EXAMPLE_LIBRARY_FILE, status: true },
    }),
    async (c) => {
      const { deps, caller } = c.var;
      const name = readMediaId(c.req.valid("param").media_id);
      const file = await keepInLibrary(deps, caller, name, toEntry(c.req.valid("json")));
      const media = toLibraryView(file, apiOrigin(c));
      return c.json({ message: "The file is in the library.", media, status: true } as const, 200);
    },
  );

  app.openapi(
    operation({
      ...COMMON,
      id: "deleteMedia",
      method: "delete",
      path: PATH,
      summary: "Delete a media file",
      description:
        "Deletes a file that no post needs; otherwise a 422 (`not_changeable`) names the posts. A file of a generated post only leaves the library.",
      params: MediaParam,
      refusedByState: "Posts need this file: 42. Delete or change them first.",
      answer: z.object({ message: z.string(), status: Done }),
      answerDescription: "The file was deleted, or left the library.",
      example: { message: DELETED, status: true },
    }),
    async (c) => {
      const { deps, caller } = c.var;
      const isDeleted = await deleteFromLibrary(deps, caller, readMediaId(c.req.valid("param").media_id));
      return c.json({ message: isDeleted ? DELETED : LEFT, status: true } as const, 200);
    },
  );
}
