import { z } from "@hono/zod-openapi";
import { Done, operation } from "../../http/operation.ts";
import { keepInLibrary } from "../library.ts";
import {
  EXAMPLE_LIBRARY_FILE,
  KeepMediaBody,
  LibraryFileView,
  MediaParam,
  readMediaId,
  toEntry,
  toLibraryView,
} from "../schema.ts";
import { COMMON } from "./common.ts";

export const UpdateMedia = operation({
  ...COMMON,
  id: "updateMedia",
  method: "put",
  path: "/social/update-media/{media_id}",
  summary: "Keep a file in the media library",
  description:
    "Keeps an uploaded or generated file until it is deleted, and replaces its title, alternative text and tags. Repeats change nothing.",
  params: MediaParam,
  body: KeepMediaBody,
  answer: z.object({ message: z.string(), media: LibraryFileView, status: Done }),
  answerDescription: "The file is in the library.",
  example: { message: "The file is in the library.", media: EXAMPLE_LIBRARY_FILE, status: true },
  run: async ({ deps, caller, origin }, { body, params }) => {
    const name = readMediaId(params.media_id);
    const file = await keepInLibrary(deps, caller, name, toEntry(body));
    const media = toLibraryView(file, origin);
    return { message: "The file is in the library.", media, status: true } as const;
  },
});
