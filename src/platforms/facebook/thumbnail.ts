import { post as postCall, Success } from "../meta/graph.ts";
import { okAs, rejected } from "../outcomes.ts";
import type { ApplyAfterwards } from "../publishing.ts";
import { graphOf } from "./api.ts";

/**
 * Sets the picture of a live video, by the id of the video itself. A repeat adds the same picture once more.
 */
export const setThumbnail: ApplyAfterwards = async (context, { cover, read }, { id, secondaryId }) => {
  if (cover === null) return rejected("The picture was not read.");
  const part = await read(cover, 0, cover.bytes);
  if (part.kind === "failed") return part;
  const source = { filename: cover.mime === "image/png" ? "cover.png" : "cover.jpg", mime: cover.mime, part };
  const graph = graphOf(context);
  const answer = await graph.request(postCall(`${secondaryId ?? id}/thumbnails`, { is_preferred: "true" }, { source }));
  return okAs(graph.interpretRead(answer, Success), "applied");
};
