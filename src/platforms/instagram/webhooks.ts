import { z } from "zod";
import { PlatformId } from "../json.ts";
import { type Change, changesOf, metaHandshake, subscribeApp, subscribeNode } from "../meta/webhooks.ts";
import type { InboundComment, Webhooks } from "../webhooks.ts";
import { loginOf, loginOfApp, VIA_FACEBOOK } from "./api.ts";
import { authorOf, Writer } from "./comments.ts";
import { nodeOf } from "./page.ts";

/**
 * What Instagram sends of comments (instagram.md §3.4).
 *
 * - Which secret signs for an app of Instagram Login is not documented: its own is tried, then that of the
 *   Meta app around it.
 * - No time stands in the event, but in what carries it. Those of albums lack the post.
 * - A comment under a boosted post may be told twice: as the advertisement's, which names the post that was
 *   boosted, and as that one's.
 * - With Facebook Login a Page is subscribed to any of its own fields, and the app to what is wanted; with
 *   Instagram Login the app's part is set in the dashboard.
 */
const SUBSCRIPTION = { object: "instagram", field: "comments" } as const;
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
  const change = field === SUBSCRIPTION.field ? NewComment.safeParse(value).data : undefined;
  if (!change || sentAt === null) return [];
  const { id, text, from, media, parent_id } = change;
  const { author, isOwn } = authorOf({ id: accountId, username: null }, { from: from ?? undefined });
  // The event does not tell by which name the account goes: its id must do.
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
    return { isByHand, setting, fields: [SUBSCRIPTION.field], hasVerifyToken: true };
  },
  ...metaHandshake,
  async verify(body, headers, secrets) {
    if (await metaHandshake.verify(body, headers, secrets)) return true;
    const { meta_secret: secret = "" } = secrets.app.options ?? {};
    return metaHandshake.verify(body, headers, { ...secrets, app: { ...secrets.app, secret } });
  },
  parse: (body) => changesOf(body, SUBSCRIPTION.object).flatMap(toInbound),
  async subscribe(context, to) {
    const isLinked = loginOf(context.account) === "facebook";
    const failure = isLinked ? await subscribeApp(VIA_FACEBOOK, context, SUBSCRIPTION, to) : null;
    if (failure) return failure;
    const node = await nodeOf(context);
    return node.kind === "failed" ? node : subscribeNode(node.graph, node.id, isLinked ? "feed" : SUBSCRIPTION.field);
  },
};
