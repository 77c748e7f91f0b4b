import { SECOND } from "../core/time.ts";
import type { Conversing } from "../platforms/conversing.ts";
import { findPlatform } from "../platforms/registry.ts";
import type { Conversation } from "./table.ts";

/** Until when a channel may answer. Pure. */
export interface SendWindow {
  /** Whether a message may be sent now; `isTyped` ones for longer. */
  isOpen(isTyped: boolean): boolean;
  /** Epoch milliseconds; null if the platform has no window, or the person never wrote. */
  readonly until: number | null;
  /** The same for a message that a person has typed. */
  readonly typedUntil: number | null;
}

export const conversingOf = ({ platform }: Pick<Conversation, "platform">): Conversing | null =>
  findPlatform(platform)?.conversations ?? null;

export function windowOf(
  { platform, lastInboundAt }: Pick<Conversation, "platform" | "lastInboundAt">,
  now: number,
): SendWindow {
  const conversing = conversingOf({ platform });
  if (!conversing) return { isOpen: () => false, until: null, typedUntil: null };
  const { window } = conversing;
  if (window === null) return { isOpen: () => true, until: null, typedUntil: null };
  if (lastInboundAt === null) return { isOpen: () => false, until: null, typedUntil: null };
  const until = lastInboundAt + window.seconds * SECOND;
  const typedUntil = lastInboundAt + window.typedSeconds * SECOND;
  return { isOpen: (isTyped) => now < (isTyped ? typedUntil : until), until, typedUntil };
}
