import type { ChannelState } from "../channels/store.ts";
import { type FieldProblem, invalidFields } from "../core/errors.ts";
import type { ChannelId, PostId } from "../core/ids.ts";
import { grouped } from "../core/sentences.ts";
import { findPlatform } from "../platforms/registry.ts";
import type { TextRules } from "../platforms/rules.ts";
import type { Settings } from "./table.ts";

/** Checks of an automation that need its channels, posts and campaigns. Pure. */
export interface Named {
  readonly channels: readonly ChannelState[];
  readonly campaigns: readonly { readonly id: number; readonly channelId: ChannelId }[];
  readonly posts: readonly { readonly id: PostId; readonly channelId: ChannelId; readonly state: string }[];
}

/** Throws a 422 that names each field and id that does not fit. */
export function requireFitting(settings: Settings, named: Named): void {
  const problems = [
    ...channelProblems(settings, named),
    ...targetProblems(settings, named),
    ...textProblems(settings, named),
  ];
  const [first, ...rest] = problems;
  if (first) throw invalidFields([first, ...rest]);
}

function channelProblems({ channelIds }: Settings, { channels }: Named): FieldProblem[] {
  const known = new Set(channels.map(({ id }) => id));
  return channelIds.flatMap((id, at): FieldProblem[] => {
    if (known.has(id)) return [];
    const field = `channels.${at}`;
    const message = `${field} must be a connected channel of this project, not ${id}: get-channels lists them.`;
    return [{ field, code: "reference_invalid", isAbsent: true, message }];
  });
}

function targetProblems({ channelIds, postIds, campaignIds }: Settings, { posts, campaigns }: Named): FieldProblem[] {
  const byId = new Map(posts.map((post) => [post.id, post]));
  const ofPosts = (postIds ?? []).flatMap((id, at): FieldProblem[] => {
    const field = `post_ids.${at}`;
    const post = byId.get(id);
    const wanted = `${field} must be a published post of these channels, not ${id}`;
    const problem = (why: string): FieldProblem[] => [
      { field, code: "reference_invalid", message: `${wanted}${why}.` },
    ];
    if (!post) return problem("").map((one) => ({ ...one, isAbsent: true }));
    if (post.state !== "published")
      return problem(`, which is ${post.state === "pending" ? "processing" : post.state}`);
    return channelIds.includes(post.channelId) ? [] : problem(`, which is of channel ${post.channelId}`);
  });
  const named = new Map(campaigns.map((campaign) => [campaign.id as number, campaign]));
  const ofCampaigns = (campaignIds ?? []).flatMap((id, at): FieldProblem[] => {
    const field = `campaign_ids.${at}`;
    const campaign = named.get(id);
    if (campaign && channelIds.includes(campaign.channelId)) return [];
    const why = campaign ? `, which is of channel ${campaign.channelId}` : "";
    const message = `${field} must be a campaign of this project, for these channels, not ${id}${why}.`;
    return [{ field, code: "reference_invalid", message, ...(campaign ? {} : { isAbsent: true }) }];
  });
  return [...ofPosts, ...ofCampaigns];
}

/** Texts that are too long for one of the channels; the first such channel is named. */
function textProblems({ commentReply, directMessage, responseType }: Settings, { channels }: Named): FieldProblem[] {
  const check = (field: string, text: string | null, rulesOf: (channel: ChannelState) => TextRules | undefined) => {
    if (text === null) return [];
    // All channels of a platform count alike.
    const lengths = new Map<string, number>();
    for (const channel of channels) {
      const rules = rulesOf(channel);
      const way = `${channel.platform} ${rules?.unit}`;
      const length = lengths.get(way) ?? rules?.measure(text) ?? 0;
      lengths.set(way, length);
      if (!rules || length <= rules.max) continue;
      const message = `${field} must have at most ${grouped(rules.max)} ${rules.unit} for ${channel.name} (${channel.platform}), not ${grouped(length)}.`;
      return [{ field, code: "content_invalid" as const, message }];
    }
    return [];
  };
  return [
    ...(responseType === "direct_message"
      ? []
      : check("comment_reply", commentReply, (channel) =>
          findPlatform(channel.platform)?.comments?.text(channel.attributes),
        )),
    ...(responseType === "comment"
      ? []
      : check("direct_message", directMessage, (channel) => findPlatform(channel.platform)?.messages?.text)),
  ];
}
