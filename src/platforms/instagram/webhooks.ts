import { z } from "zod";
import { PlatformId } from "../json.ts";
import { inboundMessages } from "../meta/message-webhooks.ts";
import { type Change, changesOf, metaHandshake, subscribeApp, subscribeNode } from "../meta/webhooks.ts";
import type { InboundComment, Webhooks } from "../webhooks.ts";
import { loginOf, loginOfApp, VIA_FACEBOOK } from "./api.ts";
import { authorOf, Writer } from "./comments.ts";
import { nodeOf } from "./page.ts";

/**
 * Webhooks of Instagram's comments and messages (instagram.md §3.4).
 *
 * - It is not documented which secret signs for an Instagram Login app. Its own secret is tried first, then
 *   the surrounding Meta app's.
 * - The time is not in the event, but in its envelope. Events of albums lack the post.
 * - A comment under a boosted post may be sent twice: for the ad, which names the boosted post, and for the
 *   post.
 * - With Facebook Login, a Page subscribes to any of its own fields, and the app to the wanted ones. With
 *   Instagram Login, the app's part is set in the dashboard.
 */
const COMMENTS = "comments";
const MESSAGES = "messages";
const LOGIN_SETTING = "Instagram › API setup with Instagram login › Configure webhooks";

const NewComment = z.object({
  id: PlatformId,
  text: z.string().nullish().catch(null),
  from: Writer.nullish().catch(null),
  media: z
    .object({ id: PlatformId.nullish().catch(null), original_media_id: PlatformId.nullish().catch(null) })
    .nullish()
    .catch(null),
  parent_id: PlatformId.nullish().catch(null),
});

function toInbound({ accountId, field, value, sentAt }: Change): InboundComment | [] {
  const change = field === COMMENTS ? NewComment.safeParse(value).data : undefined;
  if (!change || sentAt === null) return [];
  const { id, text, from, media, parent_id } = change;
  const { author, isOwn } = authorOf({ id: accountId, username: null }, { from: from ?? undefined });
  // The event does not show the account's name, so the id decides.
  const isOthers = isOwn === null && from?.id && !from.self_ig_scoped_id;
  const comment = {
    id,
    author,
    isOwn: isOthers ? false : isOwn,
    createdAt: sentAt,
    text: text ?? "",
    isTopLevel: !parent_id,
  };
  return { accountId, postId: media?.original_media_id ?? media?.id ?? null, comment };
}

export const webhooks: Webhooks = {
  app: "instagram",
  setup: (app) => {
    const isByHand = loginOfApp(app) === "instagram";
    const setting = isByHand ? LOGIN_SETTING : "Webhooks › Instagram";
    return { isByHand, setting, fields: [COMMENTS, MESSAGES], hasVerifyToken: true };
  },
  ...metaHandshake,
  async verify(body, headers, secrets) {
    if (await metaHandshake.verify(body, headers, secrets)) return true;
    const { meta_secret: secret = "" } = secrets.app.options ?? {};
    return metaHandshake.verify(body, headers, { ...secrets, app: { ...secrets.app, secret } });
  },
  parse: (body) => changesOf(body, "instagram").flatMap(toInbound),
  parseMessages: (body) => inboundMessages(body, "instagram"),
  async subscribe(context, to) {
    const isLinked = loginOf(context.account) === "facebook";
    const fields = to.withMessages ? [COMMENTS, MESSAGES] : [COMMENTS];
    const failure = isLinked ? await subscribeApp(VIA_FACEBOOK, context, { object: "instagram", fields }, to) : null;
    if (failure) return failure;
    const node = await nodeOf(context);
    return node.kind === "failed" ? node : subscribeNode(node.graph, node.id, isLinked ? ["feed"] : fields);
  },
};
