import { AppError } from "../core/errors.ts";
import { idOf, type PostId } from "../core/ids.ts";
import { readPathId } from "../http/page.ts";

/** The id of a post in a path; a 404 for what cannot be one. */
export function readPostId(text: string): PostId {
  const id = readPathId(text);
  if (id === null) throw noPost(text);
  return idOf<PostId>(id);
}

export function noPost(id: number | string): AppError {
  return new AppError("not_found", `There is no post ${String(id).slice(0, 40)} in this project.`);
}
