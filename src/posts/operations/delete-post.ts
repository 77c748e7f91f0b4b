import { z } from "@hono/zod-openapi";
import { Done, operation } from "../../http/operation.ts";
import { readPathId } from "../../http/page.ts";
import { deletePost } from "../delete/remove.ts";
import { DeletePostParam } from "../schema.ts";

export const DeletePost = operation({
  id: "deletePost",
  audited: true,
  method: "delete",
  path: "/social/delete-post/{postId}",
  tag: "Posts",
  permission: "social-delete-post",
  summary: "Delete a post",
  description:
    "Deletes the post here at once. Live items are also deleted at the platform if it has a call for that. The post's boost campaigns are ended. `message` reports the state that the post had, and what happens to its live items.",
  params: DeletePostParam,
  answer: z.object({ message: z.string(), status: Done }),
  answerDescription: "Deletion is initiated.",
  example: {
    message: "Post deletion has been initiated: post 42, which was published, is being deleted at facebook.",
    status: true,
  },
  run: async ({ deps, caller, endings }, { params }) => {
    const id = readPathId("post", params.postId);
    const message = await deletePost(deps, caller, id, endings.post);
    return { message, status: true } as const;
  },
});
