import type { Caller } from "../../core/caller.ts";
import type { ChannelId } from "../../core/ids.ts";
import { rangeOf } from "../schema.ts";

export const COMMON = { tag: "Insights", permission: "social-read-insights", extension: true } as const;

export interface InsightsQuery {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly channel_id?: ChannelId | undefined;
}

export function periodOf({ projectId }: Pick<Caller, "projectId">, { channel_id, ...range }: InsightsQuery) {
  const channelId = channel_id ?? null;
  return { projectId, channelId, ...rangeOf(range, Date.now()) };
}
