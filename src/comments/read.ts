import { absent } from "../core/errors.ts";
import type { CommentId, ProjectId } from "../core/ids.ts";
import type { Deps } from "../service/deps.ts";
import { type ListedComment, selectComment } from "./store.ts";

/** Errors: `not_found`. */
export async function getComment({ db }: Deps, projectId: ProjectId, id: CommentId): Promise<ListedComment> {
  const [comment] = await selectComment(db, projectId, id);
  if (!comment) throw absent("comment", id);
  return comment;
}
