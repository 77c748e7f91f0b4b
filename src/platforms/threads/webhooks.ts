import { z } from "zod";
import { PlatformId } from "../json.ts";
import { graphTime } from "../meta/times.ts";
import { Moment, metaHandshake } from "../meta/webhooks.ts";
import type { InboundComment, Webhooks } from "../webhooks.ts";

/**
 * Webhooks of replies at Threads (threads.md §3.3).
 *
 * - The bodies are flat, unlike those of Meta's other products.
 * - The signing secret is not documented: the app registration's secret is used.
 * - They are set up in the app's dashboard only, for all profiles at once.
 * - An event names the item of a thread that it answers, by an id that may belong to any post. Answers to the
 *   first item are top-level.
 */
const SETTING = "Use cases › Access the Threads API › Settings › Webhooks, topic moderate";

const Body = z.object({
  target_id: PlatformId.nullish().catch(null),
  time: Moment,
  values: z.union([z.array(z.unknown()), z.unknown().transform((one) => [one])]),
});
const Event = z.object({ field: z.literal("replies"), value: z.unknown() });

const Reference = z
  .object({ id: PlatformId.nullish().catch(null) })
  .nullish()
  .catch(null);
const Root = z.object({
  id: PlatformId.nullish().catch(null),
  owner_id: PlatformId.nullish().catch(null),
  username: z.string().min(1).nullish().catch(null),
});
const Reply = z.object({
  id: PlatformId,
  username: z.string().min(1).nullish().catch(null),
  text: z.string().nullish().catch(null),
  timestamp: z.string().nullish().catch(null),
  replied_to: Reference,
  root_post: Root.nullish().catch(null),
});

function parse(body: unknown): readonly InboundComment[] {
  const sent = Body.safeParse(body).data;
  if (!sent) return [];
  return sent.values.flatMap((one) => {
    const reply = Reply.safeParse(Event.safeParse(one).data?.value).data;
    return reply ? toInbound(reply, sent) : [];
  });
}

function toInbound(reply: z.output<typeof Reply>, sent: z.output<typeof Body>): InboundComment | [] {
  const { id, username, text, timestamp, replied_to, root_post: root } = reply;
  const accountId = root?.owner_id ?? sent.target_id ?? null;
  const writtenAt = graphTime(timestamp);
  const createdAt = Number.isNaN(writtenAt) ? sent.time : writtenAt;
  if (accountId === null || createdAt === null) return [];
  const comment = {
    id,
    author: username ? { id: username, name: username } : null,
    createdAt,
    text: text ?? "",
    isTopLevel: !replied_to?.id || replied_to.id === root?.id,
    isOwn: username && root?.username ? username === root.username : null,
  };
  return { accountId, postId: root?.id ?? null, comment };
}

export const webhooks: Webhooks = {
  app: "threads",
  setup: () => ({ isByHand: true, setting: SETTING, fields: ["replies"], hasVerifyToken: true }),
  ...metaHandshake,
  parse,
  async subscribe() {
    return { kind: "subscribed" };
  },
};
