import { Budget } from "../../media/budget.ts";
import { readPageFacts } from "../../media/page-facts.ts";
import type { LinkPreview } from "../../platforms/publishing.ts";
import type { Deps } from "../../service/deps.ts";
import { probeFile } from "../content/media.ts";

const IMAGE_LIMITS = { bytes: 2 * 1024 * 1024, ms: 10_000 };

/** What the page of a link says about itself, with its picture probed. A page never fails a post. */
export async function previewLink(deps: Deps, url: string): Promise<LinkPreview | null> {
  const facts = await readPageFacts(deps.guardedFetch, url);
  if (facts === null) return null;
  const { title, description, imageUrl } = facts;
  const probed = imageUrl === null ? null : await probeFile(deps, imageUrl, new Budget(IMAGE_LIMITS));
  const image = probed?.kind === "media" && probed.media.kind === "image" ? probed.media : null;
  return { title, description, image };
}
