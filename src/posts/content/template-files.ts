import { AppError } from "../../core/errors.ts";
import { ownFileName } from "../../media/own-address.ts";
import type { CreatePostBody } from "../schema.ts";

/** Our files that templates of posts name: they are needed for every post, not only until the first one. */
export function filesOf(bodies: readonly (CreatePostBody | AppError)[]): readonly string[] {
  const urls = bodies.flatMap((body) => {
    if (body instanceof AppError) return [];
    const items = [body, ...(body.twitter_threads ?? [])];
    return [...items.flatMap(({ media_urls = [] }) => media_urls), body.options?.cover_url ?? ""];
  });
  return [...new Set(urls.flatMap((url) => ownFileName(url) ?? []))];
}
