import { nameInMail } from "../mail/mail-name.ts";
import type { Message } from "../mail/mailer.ts";
import type { Texts } from "../pages/texts.ts";

/** What a digest reports. */
export interface DigestContent {
  readonly project: { readonly id: number; readonly name: string };
  readonly failed: readonly { readonly id: number; readonly channel: string | null; readonly error: string | null }[];
  /** Whether more posts failed than are listed. */
  readonly hasMore: boolean;
  readonly channels: readonly { readonly name: string; readonly isExpired: boolean; readonly reason: string | null }[];
}

interface Addressed {
  readonly to: string;
  readonly texts: Texts["digestMail"];
  /** The public address of the service. */
  readonly origin: string;
  readonly unsubscribeToken: string;
}

/** A digest as an e-mail in plain text. Mail programs unsubscribe by one click (RFC 8058). */
export function digestMail(content: DigestContent, { to, texts, origin, unsubscribeToken }: Addressed): Message {
  const { project, failed, channels, hasMore } = content;
  const { mail } = texts;
  const base = `${origin}/console/projects/${project.id}`;
  const unsubscribe = `${origin}/unsubscribe/${unsubscribeToken}`;
  const parts = [
    failed.length > 0 ? mail.failed({ count: `${failed.length}${hasMore ? "+" : ""}` }) : "",
    mail.attention({ count: channels.length }),
  ];
  const lines = [
    ...(failed.length > 0 ? [mail.failedTitle, ""] : []),
    ...failed.flatMap(({ id, channel, error }) => [
      `- ${channel === null ? mail.post : nameInMail(channel)}: ${error ?? mail.noReason}`,
      `  ${base}/posts/${id}`,
    ]),
    ...(hasMore ? [`- ${mail.more}: ${base}/posts?status=failed`] : []),
    ...(failed.length > 0 && channels.length > 0 ? [""] : []),
    ...(channels.length > 0 ? [mail.channels, ""] : []),
    ...channels.map(
      ({ name, isExpired, reason }) => `- ${nameInMail(name)}: ${reason ?? (isExpired ? mail.expired : mail.expiring)}`,
    ),
    ...(channels.length > 0 ? [`  ${base}/channels`] : []),
    "",
    `${mail.stop}: ${unsubscribe}`,
  ];
  return {
    to,
    subject: `${nameInMail(project.name)}: ${parts.filter((part) => part !== "").join(", ")}`,
    text: lines.join("\n"),
    headers: { "List-Unsubscribe": `<${unsubscribe}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" },
  };
}
