import { z } from "@hono/zod-openapi";
import { Done, operation } from "../../http/operation.ts";
import { getLibraryFile } from "../library.ts";
import { EXAMPLE_LIBRARY_FILE, LibraryFileDetailView, MediaParam, readMediaId, toLibraryView } from "../schema.ts";
import { COMMON } from "./common.ts";

export const GetMedia = operation({
  ...COMMON,
  id: "getMedia",
  method: "get",
  path: "/social/get-media/{media_id}",
  summary: "Get a media file",
  description: "A file of the project, in the library or not, and the posts that need it.",
  params: MediaParam,
  answer: z.object({ media: LibraryFileDetailView, status: Done }),
  answerDescription: "The file.",
  example: { media: { ...EXAMPLE_LIBRARY_FILE, post_ids: [42] }, status: true },
  run: async ({ deps, caller, origin }, { params }) => {
    const name = readMediaId(params.media_id);
    const { file, postIds } = await getLibraryFile(deps.db, caller.projectId, name);
    const media = { ...toLibraryView(file, origin), post_ids: [...postIds] };
    return { media, status: true } as const;
  },
});
