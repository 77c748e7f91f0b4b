import { z } from "@hono/zod-openapi";
import { Done, operation } from "../../http/operation.ts";
import { deleteFromLibrary } from "../library.ts";
import { MediaParam, readMediaId } from "../schema.ts";
import { COMMON } from "./common.ts";

const DELETED = "The file was deleted.";

const LEFT = "The file left the library. A generated post keeps it: delete that to delete the file.";

export const DeleteMedia = operation({
  ...COMMON,
  id: "deleteMedia",
  audited: true,
  method: "delete",
  path: "/social/delete-media/{media_id}",
  summary: "Delete a media file",
  description:
    "Deletes a file that no post needs; otherwise a 422 (`not_changeable`) names the posts. A file of a generated post only leaves the library.",
  params: MediaParam,
  refusedByState: "Posts need this file: 42. Delete or change them first.",
  answer: z.object({ message: z.string(), status: Done }),
  answerDescription: "The file was deleted, or left the library.",
  example: { message: DELETED, status: true },
  run: async ({ deps, caller }, { params }) => {
    const isDeleted = await deleteFromLibrary(deps, caller, readMediaId(params.media_id));
    return { message: isDeleted ? DELETED : LEFT, status: true } as const;
  },
});
