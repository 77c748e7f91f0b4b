// Promotable content: Page posts and Instagram media, from the publishing simulators.

import { findPost, isLive as isPostLive } from "../../facebook/store";
import { findMedia, isLive as isMediaLive } from "../../instagram/store";
import type { Sandbox } from "../../sandbox";
import type { Creative } from "./store";

export interface Promoted {
  id: string;
  /** The Page or Instagram account that owns the post. */
  ownerId: string;
  text: string;
  isLive: boolean;
  objectType: "STATUS" | "PHOTO" | "VIDEO" | "SHARE";
  /** User message in the user's language; null if the post can be boosted. */
  ineligible: string | null;
}

const INELIGIBLE = "Dieses Reel enthält Musik, die nicht für Werbung lizenziert ist.";
const KEPT_BACK = "[ads:ineligible]";

export function findStory(sandbox: Sandbox, id: string): Promoted | null {
  const post = findPost(sandbox, id);
  if (!post) return null;
  const text = post.message ?? "";
  const isStory = post.kind === "photo_story" || post.kind === "video_story";
  return {
    id: post.id,
    ownerId: post.page_id,
    text,
    isLive: isPostLive(post, sandbox.now()),
    objectType: post.video_id !== null ? "VIDEO" : post.photo_ids !== "[]" ? "PHOTO" : post.link ? "SHARE" : "STATUS",
    ineligible: isStory || text.includes(KEPT_BACK) ? "This post cannot be boosted." : null,
  };
}

export function findPromotedMedia(sandbox: Sandbox, id: string): Promoted | null {
  const media = findMedia(sandbox, id);
  if (!media) return null;
  const text = media.caption ?? "";
  const isBarred = sandbox.settings.all.instagram_boost_eligibility === "NOT_ELIGIBLE" || text.includes(KEPT_BACK);
  return {
    id: media.id,
    ownerId: media.account_id,
    text,
    isLive: isMediaLive(media, sandbox.now()),
    objectType: media.is_video ? "VIDEO" : "PHOTO",
    ineligible: isBarred || media.parent_id !== null ? INELIGIBLE : null,
  };
}

/** The post behind a creative; null if it was deleted. */
export function promotedBy(sandbox: Sandbox, { content }: Creative): Promoted | null {
  const { story_id, media_id } = content;
  const found = media_id === null ? findStory(sandbox, story_id ?? "") : findPromotedMedia(sandbox, media_id);
  return found?.isLive ? found : null;
}
