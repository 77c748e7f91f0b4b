import type { ChannelId } from "../../core/ids.ts";
import type { PlatformName } from "../../platforms/names.ts";
import { POST_STATES, type PostState } from "../table.ts";

/** From the one instant on and before the other, epoch milliseconds; null leaves a side open. */
export interface Span {
  readonly from: number | null;
  readonly to: number | null;
}

/** What get-posts lists. A filter that is null lets everything through. */
export interface PostFilter {
  readonly channels: readonly PlatformName[];
  readonly states: readonly PostState[] | null;
  readonly channelId: ChannelId | null;
  /** The application's own id of the user that connected the channel. */
  readonly userRef: string | null;
  readonly externalId: string | null;
  readonly created: Span;
  readonly published: Span;
}

/** Everything but what was deleted. */
export const SHOWN_STATES: readonly PostState[] = POST_STATES.filter((state) => state !== "deleted");

export function isOpen({ from, to }: Span): boolean {
  return from === null && to === null;
}

/** Whether the filter is by type and state alone, of which the project's counter row knows the number. */
export function isCounted({ channelId, userRef, externalId, created, published }: PostFilter): boolean {
  return channelId === null && userRef === null && externalId === null && isOpen(created) && isOpen(published);
}
