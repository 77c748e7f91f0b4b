import type { Message } from "../mail/mailer.ts";

/** What a digest reports. */
export interface DigestContent {
  readonly project: { readonly id: number; readonly name: string };
  readonly failed: readonly { readonly id: number; readonly channel: string; readonly error: string | null }[];
  /** Whether more posts failed than are listed. */
  readonly hasMore: boolean;
  readonly channels: readonly { readonly name: string; readonly isExpired: boolean; readonly reason: string | null }[];
}

interface Addressed {
  readonly to: string;
  /** The public address of the service. */
  readonly origin: string;
  readonly unsubscribeToken: string;
}

/** A digest as an e-mail in plain text. Mail programs unsubscribe by one click (RFC 8058). */
export function digestMail(content: DigestContent, { to, origin, unsubscribeToken }: Addressed): Message {
  const { project, failed, channels, hasMore } = content;
  const base = `${origin}/console/projects/${project.id}`;
  const unsubscribe = `${origin}/unsubscribe/${unsubscribeToken}`;
  const parts = [
    failed.length > 0 ? `${failed.length}${hasMore ? "+" : ""} failed` : "",
    channelCount(channels.length),
  ];
  const lines = [
    ...(failed.length > 0 ? ["Failed posts", ""] : []),
    ...failed.flatMap(({ id, channel, error }) => [
      `- ${oneLine(channel)}: ${oneLine(error ?? "It failed.")}`,
      `  ${base}/posts/${id}`,
    ]),
    ...(hasMore ? [`- More: ${base}/posts?status=failed`] : []),
    ...(failed.length > 0 && channels.length > 0 ? [""] : []),
    ...(channels.length > 0 ? ["Channels that need a reconnection", ""] : []),
    ...channels.map(
      ({ name, isExpired, reason }) =>
        `- ${oneLine(name)}: ${reason ?? (isExpired ? "It has expired." : "It expires soon.")}`,
    ),
    ...(channels.length > 0 ? [`  ${base}/channels`] : []),
    "",
    `Stop these messages: ${unsubscribe}`,
  ];
  return {
    to,
    subject: `${oneLine(project.name)}: ${parts.filter((part) => part !== "").join(", ")}`,
    text: lines.join("\n"),
    headers: { "List-Unsubscribe": `<${unsubscribe}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" },
  };
}

const channelCount = (count: number): string =>
  count === 0 ? "" : `${count} ${count === 1 ? "channel needs" : "channels need"} attention`;

/** A name cannot add a line to the head of the mail. */
const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();
