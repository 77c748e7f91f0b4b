import { findChannel } from "../channels/store.ts";
import type { Caller } from "../core/caller.ts";
import { AppError, type FieldProblem, invalid, invalidFields } from "../core/errors.ts";
import { type ChannelId, idOf } from "../core/ids.ts";
import type { Deps } from "../deps.ts";
import type { ContentItem } from "../platforms/platform.ts";
import { findPlatform } from "../platforms/registry.ts";
import { planContent, plannedItems } from "./content.ts";
import { requireUsable } from "./create.ts";
import { probeContent } from "./media.ts";
import { readSchedule } from "./schedule.ts";
import type { CreatePostBody } from "./schema.ts";

/**
 * The whole of create-post's checks, media included; nothing is created (decisions.md, extension validate-post). Answers
 * the items as they would go out. Errors: those of create-post, and what its publishing would fail with; files that cannot
 * be looked at while the request waits (`mediaCheckMs`) are told by name.
 */
export async function validatePost(deps: Deps, caller: Caller, body: CreatePostBody): Promise<readonly ContentItem[]> {
  const channel = await findChannel(deps.db, caller.projectId, idOf<ChannelId>(body.channel_id));
  if (!channel) {
    throw new AppError(
      "not_found",
      `There is no connected channel ${body.channel_id} in this project. Connect it first.`,
    );
  }
  requireUsable(channel, body);
  const draft = planContent(body, channel, deps.config.allowLoopback);
  if (body.publish_mode === "scheduled") {
    readSchedule(body.schedule_time ?? "", body.time_zone ?? caller.timeZone, Date.now());
  }
  const rules = findPlatform(channel.platform)?.rules(channel.attributes)[body.post_type];
  if (!rules) {
    const sentence = `post_type must not be ${body.post_type} on ${channel.platform}.`;
    throw invalid({ post_type: [sentence] }, "unsupported_by_platform");
  }
  const checked = await probeContent(deps, plannedItems(draft, body.post_type), rules, deps.config.mediaCheckMs);
  if (checked.kind === "items") return checked.items;
  const field = body.post_type === "thread" ? "twitter_threads" : "media_urls";
  const [first, ...others] = checked.problems;
  throw invalidFields([aboutFile(field, first), ...others.map((problem) => aboutFile(field, problem))]);
}

function aboutFile(field: string, { code, message }: Omit<FieldProblem, "field">): FieldProblem {
  return { field, code, message: `${field}: ${message}` };
}
