import type { Boost, Made } from "../../../src/platforms/advertising.ts";
import type { AccountContext, Json } from "../../../src/platforms/context.ts";
import { accountContext, NOW, type Scripted, scriptedSend } from "../../scripted-send.ts";

/** A boost at TikTok, and what TikTok answers to it. */

export const DAY = 86_400_000;
export const API = "https://business-api.tiktok.com/open_api/v1.3";

export const ok = (data: unknown): Scripted => ({ body: { code: 0, message: "OK", request_id: "R", data } });
export const refused = (code: number): Scripted => ({ body: { code, message: "No", request_id: "R9", data: {} } });
export const listed = (...list: readonly object[]) => ok({ list, page_info: { page: 1, total_page: 1 } });

export const BOOST: Boost = {
  reference: "3f2a-7",
  name: "Opening day ☕️",
  adAccountId: "7411",
  objective: "video_views",
  budgetType: "lifetime",
  budgetMinor: 14_099,
  currency: "USD",
  days: 7,
  countries: ["FR", "US"],
  interests: [{ id: "10001", name: "Food" }],
  audiences: ["88"],
  post: { id: "7430000000000000123", secondaryId: "v_pub_1", permalink: "https://www.tiktok.com/@acme/video/1" },
  postType: "post",
  startAt: NOW,
  endAt: NOW + 7 * DAY,
};
export const NAME = "Opening day 3f2a-7";
export const ALL: Made = { campaign: "c1", adgroup: "g1", ad: "a1" };
export const READY: Json = { identity: { type: "TT_USER", id: "idn" }, locations: { FR: "3017382", US: "6252001" } };

/** Runs with these answers, and returns the calls. */
export async function on<T>(answers: readonly (Scripted | "lost")[], run: (context: AccountContext) => Promise<T>) {
  const { send, calls } = scriptedSend(...answers);
  const outcome = await run(accountContext(send, { username: "acme" }));
  return { outcome, calls };
}

export const linked = (...identity_list: readonly object[]) => ok({ identity_list, page_info: { total_page: 1 } });
/** The TikTok account behind the channel, as the ad account shows it. */
export const ACME = {
  identity_id: "idn",
  identity_type: "TT_USER",
  username: "Acme",
  display_name: "Acme Ltd",
  available_status: "AVAILABLE",
  can_pull_video: true,
};
