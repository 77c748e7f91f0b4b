import { z } from "@hono/zod-openapi";
import { ChannelIdParam } from "../channels/schema.ts";
import { collectComments } from "../comments/collect.ts";
import { CollectingView, EXAMPLE_COLLECTING, toCollectingView } from "../comments/schema.ts";
import { collectMessages } from "../conversations/collect.ts";
import { CollectionView, toCollectionView } from "../conversations/schema.ts";
import type { Caller } from "../core/caller.ts";
import type { ChannelId } from "../core/ids.ts";
import { Done, operation } from "../http/operation.ts";
import { readPathId } from "../http/page.ts";
import { collectPaidInsights, readChannelInsights } from "../insights/read.ts";
import { ChannelInsightsView, rangeOf, toChannelInsightsView } from "../insights/schema.ts";
import type { Deps } from "../service/deps.ts";

const UpdateChannelBody = z
  .object({
    collect_comments: z.boolean().optional().openapi({
      description:
        "Whether comments under the channel's posts are read without a bot: under those of the last 30 days and later ones.",
    }),
    collect_messages: z.boolean().optional().openapi({
      description: "Whether direct messages are read and stored. Switching it off deletes what is stored.",
    }),
    collect_insights: z.boolean().optional().openapi({
      description: "Whether numbers that the platform charges for are read. Elsewhere reading is always on.",
    }),
  })
  .refine((body) => Object.keys(body).length > 0, {
    error: "must not be empty: send at least one field to change.",
    when: ({ issues }) => issues.length === 0,
  })
  .openapi("UpdateChannel", { example: { collect_comments: true } });

async function switchInsights(deps: Deps, caller: Caller, id: ChannelId, collects: boolean) {
  await collectPaidInsights(deps, caller, id, collects);
  return toChannelInsightsView(await readChannelInsights(deps, caller, id, rangeOf({}, Date.now())));
}

/** Stands above comments, messages and insights, whose collection it switches. */
export const UpdateChannel = operation({
  id: "updateChannel",
  audited: true,
  method: "put",
  path: "/social/update-channel/{channel_id}",
  tag: "Channels",
  permission: "add-channels",
  extension: true,
  summary: "Choose what is collected of a channel",
  description:
    "What is absent stays as it is. Everything is off until it is switched on: messages are personal data, and some platforms charge for each comment, message or post that is read. `price` says what; the project's ceiling of platform cost applies. `unsupported_by_platform` where a platform has no comments or messages to read.",
  params: ChannelIdParam,
  body: UpdateChannelBody,
  answer: z.object({
    comments: z.union([CollectingView, z.null()]).openapi({ description: "Null if the body does not name them." }),
    messages: z.union([CollectionView, z.null()]).openapi({ description: "Null if the body does not name them." }),
    insights: z.union([ChannelInsightsView, z.null()]).openapi({ description: "Null if the body does not name them." }),
    status: Done,
  }),
  answerDescription: "What the body names, as it is collected now.",
  example: { comments: EXAMPLE_COLLECTING, messages: null, insights: null, status: true },
  run: async ({ deps, caller }, { body, params }) => {
    const id = readPathId("channel", params.channel_id);
    const { collect_messages: messages, collect_comments: comments, collect_insights: insights } = body;
    return {
      messages: messages === undefined ? null : toCollectionView(await collectMessages(deps, caller, id, messages)),
      comments:
        comments === undefined ? null : toCollectingView(await collectComments(deps, caller.projectId, id, comments)),
      insights: insights === undefined ? null : await switchInsights(deps, caller, id, insights),
      status: true,
    } as const;
  },
});
