import { interpretRead } from "../answers.ts";
import type { ApplyAfterwards } from "../publishing.ts";
import { Done, request } from "./api.ts";
import { YOUTUBE } from "./errors.ts";
import { uploadOf } from "./upload.ts";

const BY_HAND = "The video is shown without the declaration. Set it in YouTube Studio.";

/** Declares the paid partnership of a live video that was opened without it. A repeat changes nothing. */
export const declarePaid: ApplyAfterwards = async (context, _content, { id }, progress) => {
  if (!uploadOf(progress).isPaidLeftOut) return { kind: "applied" };
  const answer = await request(context, {
    method: "PUT",
    path: "videos",
    // A part that is not named keeps its fields.
    query: { part: "paidProductPlacementDetails" },
    json: { id, paidProductPlacementDetails: { hasPaidProductPlacement: true } },
  });
  const outcome = interpretRead(YOUTUBE, answer, Done, context.now);
  return outcome.kind === "ok" ? { kind: "applied" } : { ...outcome, message: `${outcome.message} ${BY_HAND}` };
};
