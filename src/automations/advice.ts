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
  readonly warnings: readonly BotWarning[];
  /** Channels whose account owner has to allow more. */
  readonly toReconnect: readonly { readonly userRef: string; readonly channel: string; readonly sentence: string }[];
}

type Text = "comment_reply" | "direct_message";

/** Channels are named with their platforms. */
export type BotWarning =
  | { readonly code: "silent"; readonly lacks: readonly Text[] }
  | { readonly code: "no_text"; readonly lacks: Text }
  | { readonly code: "unread" | "public_only" | "no_messages"; readonly channels: readonly string[] }
  | { readonly code: "impossible"; readonly channels: readonly string[]; readonly sentence: string };

/** The warning in the API's words. */
export function warningSentence(warning: BotWarning): string {
  switch (warning.code) {
    case "silent":
      return `It will stay silent: it has no ${listWords(warning.lacks, "and no")}, and ai_enable is no.`;
    case "no_text": {
      const unsent = warning.lacks === "comment_reply" ? "public answer" : "direct message";
      return `It will send no ${unsent}: it has no ${warning.lacks}, and ai_enable is no.`;
    }
    case "unread":
      return `Comments cannot be read, so they are not answered, on ${listWords(warning.channels)}.`;
    case "public_only":
      return `There are no direct messages on ${listWords(warning.channels)}: only the public answer is sent there.`;
    case "no_messages":
      return `There are no direct messages on ${listWords(warning.channels)}: nothing is answered there.`;
    case "impossible":
      return warning.sentence;
  }
}

export function adviceOn(settings: Settings, channels: readonly ChannelState[], now: number): Advice {
  const isPublic = settings.responseType !== "direct_message";
  const isPrivate = settings.responseType !== "comment";
  const platformOf = (channel: ChannelState) => findPlatform(channel.platform);
  const mute = channels.filter((channel) => !platformOf(channel)?.comments?.reading);
  const talking = channels.filter((channel) => !mute.includes(channel));
  const never = talking.flatMap((channel): BotWarning[] => {
    const sentence = impossibleReason(channel, "replies");
    return sentence === null ? [] : [{ code: "impossible", channels: [named(channel)], sentence }];
  });
  const able = talking.filter((channel) => impossibleReason(channel, "replies") === null);
  const without = isPrivate ? able.filter((channel) => !platformOf(channel)?.messages) : [];
  return {
    warnings: [
      ...silence(settings, isPublic, isPrivate),
      ...about("unread", mute),
      ...about(isPublic ? "public_only" : "no_messages", without),
      ...never,
    ],
    toReconnect: able.flatMap((channel) => {
      const needed = [
        "replies" as const,
        ...(isPrivate && platformOf(channel)?.messages ? (["messages"] as const) : []),
      ];
      const broken = needed.map((one) => healthOf(channel, channel.grants, one, now)).find(({ code }) => code !== null);
      return broken?.reason ? [{ userRef: channel.userRef, channel: named(channel), sentence: broken.reason }] : [];
    }),
  };
}

function silence({ usesAi, commentReply, directMessage }: Settings, isPublic: boolean, isPrivate: boolean) {
  if (usesAi) return [];
  const lacks: readonly Text[] = [
    ...(isPublic && commentReply === null ? (["comment_reply"] as const) : []),
    ...(isPrivate && directMessage === null ? (["direct_message"] as const) : []),
  ];
  const [first] = lacks;
  if (!first) return [];
  const isAll = Number(isPublic) + Number(isPrivate) === lacks.length;
  return [isAll ? ({ code: "silent", lacks } as const) : ({ code: "no_text", lacks: first } as const)];
}

function about(code: "unread" | "public_only" | "no_messages", channels: readonly ChannelState[]): BotWarning[] {
  return channels.length === 0 ? [] : [{ code, channels: channels.map(named) }];
}

const named = ({ name, platform }: ChannelState): string => `${name} (${platform})`;
