import { healthOf, impossibleReason } from "../channels/health.ts";
import type { ChannelState } from "../channels/store.ts";
import { listWords } from "../core/text.ts";
import { findPlatform } from "../platforms/registry.ts";
import type { Settings } from "./table.ts";

/**
 * Warnings for the caller who creates or changes an automation: it works as far as it can, and names what it
 * cannot do. Pure.
 */
export interface Advice {
  readonly sentences: readonly string[];
  /** Channels whose account owner has to allow more. */
  readonly toReconnect: readonly { readonly userRef: string; readonly sentence: string }[];
}

export function adviceOn(settings: Settings, channels: readonly ChannelState[], now: number): Advice {
  const isPublic = settings.responseType !== "direct_message";
  const isPrivate = settings.responseType !== "comment";
  const platformOf = (channel: ChannelState) => findPlatform(channel.platform);
  const mute = channels.filter((channel) => !platformOf(channel)?.comments?.reading);
  const talking = channels.filter((channel) => !mute.includes(channel));
  const never = talking.flatMap((channel) => impossibleReason(channel, "replies") ?? []);
  const able = talking.filter((channel) => impossibleReason(channel, "replies") === null);
  const without = isPrivate ? able.filter((channel) => !platformOf(channel)?.messages) : [];
  return {
    sentences: [
      ...silence(settings, isPublic, isPrivate),
      ...(mute.length === 0 ? [] : [`Comments cannot be read, so they are not answered, on ${named(mute)}.`]),
      ...(without.length === 0
        ? []
        : [
            `There are no direct messages on ${named(without)}: ${isPublic ? "only the public answer is sent there" : "nothing is answered there"}.`,
          ]),
      ...never,
    ],
    toReconnect: able.flatMap((channel) => {
      const needed = [
        "replies" as const,
        ...(isPrivate && platformOf(channel)?.messages ? (["messages"] as const) : []),
      ];
      const broken = needed.map((one) => healthOf(channel, channel.grants, one, now)).find(({ code }) => code !== null);
      return broken?.reason ? [{ userRef: channel.userRef, sentence: broken.reason }] : [];
    }),
  };
}

function silence({ usesAi, commentReply, directMessage }: Settings, isPublic: boolean, isPrivate: boolean): string[] {
  if (usesAi) return [];
  const lacks = [
    ...(isPublic && commentReply === null ? ["comment_reply"] : []),
    ...(isPrivate && directMessage === null ? ["direct_message"] : []),
  ];
  if (lacks.length === 0) return [];
  const all = Number(isPublic) + Number(isPrivate) === lacks.length;
  return [
    all
      ? `It will stay silent: it has no ${listWords(lacks, "and no")}, and ai_enable is no.`
      : `It will send no ${lacks[0] === "comment_reply" ? "public answer" : "direct message"}: it has no ${lacks[0]}, and ai_enable is no.`,
  ];
}

function named(channels: readonly ChannelState[]): string {
  return listWords(channels.map(({ name, platform }) => `${name} (${platform})`));
}
