import { operation } from "../../http/operation.ts";
import { readPathId } from "../../http/page.ts";
import { toActView } from "../act-schema.ts";
import { requestAct } from "../request-act.ts";
import { COMMON, DELETED, exampleOf } from "./act-common.ts";

export const DeleteComment = operation({
  ...COMMON,
  id: "deleteComment",
  method: "delete",
  path: "/social/delete-comment/{comment_id}",
  summary: "Delete a comment",
  description:
    "Deletes it at the platform for good, where the platform lets the owner of a post do that; elsewhere a 422 says so. Answers that were not begun are cancelled, one under way is waited for.",
  refusedByState: DELETED,
  example: exampleOf("delete"),
  run: async ({ deps, caller, endings }, { params }) => {
    const id = readPathId("comment", params.comment_id);
    const wanted = { projectId: caller.projectId, id, kind: "delete", text: null } as const;
    const act = await requestAct(deps, wanted, endings.comment, null);
    return { act: toActView(act), status: true } as const;
  },
});
