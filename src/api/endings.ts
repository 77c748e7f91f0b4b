import { cancelWithComment } from "../automations/cancel-replies.ts";
import { cancelWithChannel, cancelWithPost } from "../automations/lifecycle.ts";
import { campaignHold, withdrawCampaigns } from "../boosts/withdraw.ts";
import { forgetWithChannel } from "../conversations/collect.ts";
import type { Endings } from "../service/endings.ts";

/** What each feature does when an object of another one ends; every way to end it has all of them. */
export const ENDINGS: Endings = {
  post: [withdrawCampaigns, cancelWithPost],
  channel: (db, channel, when) => [...cancelWithChannel(db, channel, when), ...forgetWithChannel(db, channel, when)],
  channelHold: campaignHold,
  comment: cancelWithComment,
};
