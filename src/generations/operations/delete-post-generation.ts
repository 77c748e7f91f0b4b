import { z } from "@hono/zod-openapi";
import { Done, operation } from "../../http/operation.ts";
import { deleteGeneration } from "../remove.ts";
import { GenerationIdParam } from "../schema.ts";
import { COMMON, getUuid } from "./common.ts";

export const DeletePostGeneration = operation({
  ...COMMON,
  id: "deletePostGeneration",
  audited: true,
  method: "delete",
  path: "/social/delete-post-generation/{post_id}",
  summary: "Delete a generated post",
  description:
    "Deletes the generation and its media at once, unless a post uses the media. A generation in progress stops. Published posts stay.",
  params: GenerationIdParam,
  answer: z.object({ message: z.string(), status: Done }),
  answerDescription: "It is gone.",
  example: { message: "The generated post was deleted.", status: true },
  run: async ({ deps, caller }, { params }) => {
    await deleteGeneration(deps, caller, getUuid(params.post_id));
    return { message: "The generated post was deleted.", status: true } as const;
  },
});
