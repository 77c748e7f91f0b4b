import type { ChannelId } from "../../core/ids.ts";
import type { PlatformName } from "../../platforms/names.ts";
import { POST_STATES, type PostState } from "../table.ts";

/**
 * From the first instant (inclusive) to the second (exclusive), epoch milliseconds. Null leaves a side open.
 */
export interface Span {
  readonly from: number | null;
  readonly to: number | null;
}

/** The filters of get-posts. A null filter matches everything. */
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

/** All states except deleted. */
export const SHOWN_STATES: readonly PostState[] = POST_STATES.filter((state) => state !== "deleted");

export function isOpen({ from, to }: Span): boolean {
  return from === null && to === null;
}

/** Whether the filter is by type and state alone, so that the project's counter rows have the total. */
export function isCounted({ channelId, userRef, externalId, created, published }: PostFilter): boolean {
  return channelId === null && userRef === null && externalId === null && isOpen(created) && isOpen(published);
}
