// Photos of a Page: uploaded unpublished, or posted immediately.

import { z } from "zod";
import { blobPath } from "../blobs";
import { fetchMedia } from "../media-fetch";
import { type MediaFacts, probe } from "../media-probe";
import { badParameter, GraphError } from "../meta/errors";
import { file, flag, type GraphContext, text } from "../meta/params";
import { meets } from "../operation";
import type { Sandbox } from "../sandbox";
import { pageOfToken } from "./access";
import { Ignored, Message, Schedule, whenLive } from "./publishing";
import { DAY_MS, findPhoto, findVideo, insertPost, newPhotoId, newPostId } from "./store";
import type { Token } from "./tokens";

const PHOTO_TYPES = ["image/jpeg", "image/png", "image/bmp", "image/gif", "image/tiff"];

export const Photo = z.object({
  url: text.optional(),
  source: file.optional(),
  message: Message.optional(),
  caption: Message.optional(),
  alt_text_custom: text.optional(),
  temporary: flag.optional(),
  ...Schedule,
  ...Ignored,
  fields: text.optional(),
});

export const photoRefused = (why: string) =>
  new GraphError(100, "(#100) Invalid parameter", {
    subcode: 1366046,
    userTitle: "Can't Read Files",
    userMessage: `Your photos couldn't be uploaded. Photos should be less than 4 MB and saved as JPG, PNG, GIF or TIFF files (${why}).`,
  });

export function usablePhoto(sandbox: Sandbox, token: Token, id: string) {
  if (findVideo(sandbox, id)) throw badParameter(`Media ${id} is a video; only photos can be attached`);
  const photo = findPhoto(sandbox, id);
  const isGone = photo?.temporary && photo.created_at < sandbox.now() - DAY_MS;
  if (!photo || isGone || photo.page_id !== token.pageId) throw badParameter(`Media ${id} does not exist`, 33);
  if (photo.post_id !== null) throw badParameter("These photos were already posted.", 1366051);
  return photo;
}

export async function addPhoto(
  sandbox: Sandbox,
  c: GraphContext,
  token: Token,
  input: z.infer<typeof Photo>,
): Promise<{ id: string; post_id?: string }> {
  const pageId = pageOfToken(token);
  const { facts, url } = await photoFile(sandbox, c, input);
  if (meets(c, "reject_media") || meets(c, "processing_failed"))
    throw photoRefused("a setting of the sandbox refuses it");
  const timing = whenLive(sandbox, input, 30 * DAY_MS);
  const id = newPhotoId(sandbox);
  const isPost = timing.is_published || timing.scheduled_at !== null;
  const postId = isPost ? newPostId(sandbox, pageId) : null;
  const caption = input.message ?? input.caption ?? null;
  sandbox.db.run(
    `INSERT INTO facebook_photos (id, page_id, url, caption, alt_text, width, height, post_id, temporary, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    id,
    pageId,
    url,
    caption,
    input.alt_text_custom ?? null,
    facts.width,
    facts.height,
    postId,
    input.temporary ? 1 : 0,
    sandbox.now(),
  );
  if (postId === null) return { id };
  const { is_ai_generated } = input;
  const shown = { message: caption, photo_ids: [id], is_ai_generated };
  insertPost(sandbox, { id: postId, page_id: pageId, kind: "photo", ...shown, ...timing });
  return { id, post_id: postId };
}

async function photoFile(
  sandbox: Sandbox,
  c: GraphContext,
  input: { url?: string | undefined; source?: File | undefined },
): Promise<{ facts: MediaFacts; url: string }> {
  if ((input.url === undefined) === (input.source === undefined)) {
    throw new GraphError(324, "(#324) Requires upload file: exactly one of url and source");
  }
  if (input.source) {
    const blob = sandbox.blobs.create();
    sandbox.blobs.append(blob, new Uint8Array(await input.source.arrayBuffer()));
    const facts = probe(sandbox.blobs.source(blob));
    sandbox.blobs.setType(blob, facts.type);
    checkPhoto(sandbox, facts);
    return { facts, url: blobPath(blob) };
  }
  const url = input.url ?? "";
  if (meets(c, "unfetchable_media")) throw unfetchable("a setting of the sandbox");
  const fetched = await fetchMedia(sandbox, url, c.env.origin);
  if (!fetched.ok) throw unfetchable(fetched.reason);
  checkPhoto(sandbox, fetched.facts);
  return { facts: fetched.facts, url };
}

const unfetchable = (reason: string) =>
  new GraphError(389, `(#389) Unable to fetch file URL: ${reason}`, { status: 400 });

function checkPhoto(sandbox: Sandbox, facts: MediaFacts): void {
  if (!PHOTO_TYPES.includes(facts.type)) throw photoRefused(`this one is ${facts.type}`);
  const most = sandbox.settings.all.facebook_photo_max_bytes;
  if (facts.size > most) throw photoRefused(`this one has ${facts.size} bytes`);
}
