import { z } from "zod";
import { PlatformId } from "../json.ts";
import { lenient, lenientList } from "../lists.ts";
import type { InboundMessage } from "../webhooks.ts";
import { Body, Moment } from "./webhooks.ts";

const Entry = z.object({ id: PlatformId, messaging: z.array(z.unknown()) });
const Messaging = z.object({
  sender: z.object({ id: PlatformId }),
  recipient: z.object({ id: PlatformId }),
  timestamp: Moment,
  message: z.object({
    mid: PlatformId,
    text: z.string().nullish().catch(null),
    is_echo: z.boolean().nullish().catch(null),
    is_deleted: z.boolean().nullish().catch(null),
    attachments: lenientList(z.object({ type: z.string(), payload: lenient(z.object({ url: lenient(z.string()) })) })),
  }),
});

/** The messages of a verified body about objects of this kind; reactions and receipts are ignored. */
export function inboundMessages(body: unknown, object: "page" | "instagram"): readonly InboundMessage[] {
  const parsed = Body.safeParse(body);
  if (!parsed.success || parsed.data.object !== object) return [];
  return parsed.data.entry.flatMap((sent) => {
    const entry = Entry.safeParse(sent).data;
    return (entry?.messaging ?? []).flatMap((one) => {
      const event = Messaging.safeParse(one).data;
      return entry && event ? toInbound(entry.id, event) : [];
    });
  });
}

function toInbound(
  accountId: string,
  { sender, recipient, timestamp, message }: z.output<typeof Messaging>,
): InboundMessage[] {
  if (timestamp === null) return [];
  const { mid: id, text, is_echo, is_deleted, attachments } = message;
  const isOwn = is_echo === true || sender.id === accountId;
  const files = (attachments ?? []).map(({ type, payload }) => ({ type, url: payload?.url ?? null }));
  const person = { id: isOwn ? recipient.id : sender.id, name: null };
  const read = { id, person, isOwn, text: text ?? "", attachments: files, sentAt: timestamp };
  return [{ accountId, message: read, isDeleted: is_deleted === true }];
}
