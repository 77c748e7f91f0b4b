import { z } from "zod";
import type { AccountContext, Failure } from "../context.ts";
import { get } from "../meta/graph.ts";
import { throttled } from "../outcomes.ts";
import { graphOf } from "./api.ts";
import { QUOTA_PAUSE_SECONDS } from "./errors.ts";

/**
 * Threads' limits in 24 moving hours: posts, and replies, which include later items of a thread. They are
 * read before the first item, so that a thread does not stop half-way.
 */
const Quota = z.object({ quota_total: z.number() });
const Limit = z.object({
  quota_usage: z.number().optional(),
  config: Quota.optional(),
  reply_quota_usage: z.number().optional(),
  reply_config: Quota.optional(),
});
const Limits = z.object({ data: z.array(Limit) });

/** The limit without room for one post and this many replies; null if both have room, or are unknown. */
export async function findFullQuota(context: AccountContext, replies: number): Promise<Failure | null> {
  // Fields whose scope was not granted are refused.
  const mayAskReplies = replies > 0 && context.credentials.scopes.includes("threads_manage_replies");
  const fields = `quota_usage,config${mayAskReplies ? ",reply_quota_usage,reply_config" : ""}`;
  const answer = await graphOf(context).read(get("me/threads_publishing_limit", { fields }), Limits);
  const limit = answer.kind === "ok" ? answer.value.data[0] : undefined;
  if (!limit) return null;
  const { quota_usage = 0, config, reply_quota_usage = 0, reply_config } = limit;
  if (config && quota_usage >= config.quota_total) {
    return throttled(sentence("posts", config.quota_total), QUOTA_PAUSE_SECONDS, null, "account");
  }
  // A thread that never fits is published as far as possible.
  const most = reply_config?.quota_total ?? 0;
  const isFull = reply_quota_usage > 0 && most - reply_quota_usage < replies;
  return reply_config && isFull ? throttled(sentence("replies", most), QUOTA_PAUSE_SECONDS) : null;
}

const sentence = (what: string, most: number) =>
  `This profile has reached the limit of ${most} ${what} in 24 hours at Threads. The post waits.`;
