import { findFile } from "../../files/store.ts";
import { fileName } from "../../media/file.ts";
import { ownFileName } from "../../media/own-address.ts";
import type { PostOptions } from "../../platforms/options.ts";
import type { ContentItem } from "../../platforms/publishing.ts";
import type { Deps } from "../../service/deps.ts";
import type { Post } from "../store.ts";

/** As long as a title of the request may be. */
const MAX_TITLE = 255;
const MAX_LINE = 100;

/**
 * The options of a post with a document, which must have a title: that of the request, else that of the media
 * library, else the name of the file, else the first line of the text.
 */
export async function withDocumentTitle(
  { db }: Pick<Deps, "db">,
  { projectId }: Pick<Post, "projectId">,
  options: PostOptions,
  [item]: readonly ContentItem[],
): Promise<PostOptions> {
  const [file] = item?.media ?? [];
  if (!item || file?.kind !== "document" || options.title !== undefined) return options;
  const own = ownFileName(file.url);
  const kept = own === null ? null : await findFile(db, projectId, own);
  const named = own === null ? fileName(file.url).replace(/\.[A-Za-z]{3,4}$/, "") : "";
  const [line = ""] = item.text.trim().split("\n");
  const title = [kept?.library?.title, named, line.trim().slice(0, MAX_LINE)].find((one) => one?.trim());
  return { ...options, title: (title ?? "Document").trim().slice(0, MAX_TITLE) };
}
