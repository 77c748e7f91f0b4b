import { interpretRead } from "../answers.ts";
import { okAs, rejected } from "../outcomes.ts";
import type { ApplyAfterwards } from "../publishing.ts";
import { API_VERSIONS } from "../versions.ts";
import { authorized, Done } from "./api.ts";
import { YOUTUBE } from "./errors.ts";

const THUMBNAILS = `https://www.googleapis.com/upload/youtube/${API_VERSIONS.youtube.version}/thumbnails/set`;

/**
 * Sets the picture of a live video. Setting the same one again changes nothing. YouTube refuses channels that
 * were not verified.
 */
export const setThumbnail: ApplyAfterwards = async (context, { cover, read }, { id }) => {
  if (cover === null) return rejected("The picture was not read.");
  const part = await read(cover, 0, cover.bytes);
  if (part.kind === "failed") return part;
  const headers = { ...authorized(context), "content-type": cover.mime };
  const query = { videoId: id, uploadType: "media" };
  const answer = await context.send({ method: "POST", url: THUMBNAILS, query, headers, part });
  return okAs(interpretRead(YOUTUBE, answer, Done, context.now), "applied");
};
