import type { Deps } from "../deps.ts";
import { contentProblems } from "../media/check.ts";
import { probe } from "../media/probe.ts";
import type { ContentItem, Media, TypeRules } from "../platforms/platform.ts";
import type { PlannedItem } from "./content.ts";

export type Probed =
  | { readonly kind: "items"; readonly items: ContentItem[] }
  /** The files themselves break a rule: sentences that name the file, what it is and what is allowed. */
  | { readonly kind: "refused"; readonly problems: readonly string[] }
  /** A file cannot be had now; it may be later. */
  | { readonly kind: "unreachable"; readonly message: string };

/** Looks at every media file of a post by its bytes (decisions.md, Posts). Reads headers only, through the guarded request. */
export async function probeItems(deps: Deps, planned: readonly PlannedItem[], rules: TypeRules): Promise<Probed> {
  const items: ContentItem[] = [];
  for (const { text, mediaUrls } of planned) {
    const media: Media[] = [];
    for (const url of mediaUrls) {
      const probed = await probe(deps.guardedFetch, url);
      if (probed.kind === "refused") return { kind: "refused", problems: [probed.message] };
      if (probed.kind === "unreachable") return { kind: "unreachable", message: probed.message };
      media.push(probed.media);
    }
    items.push({ text, media });
  }
  const problems = contentProblems(rules, items);
  return problems.length > 0 ? { kind: "refused", problems } : { kind: "items", items };
}

export type ProbedFile =
  | { readonly kind: "media"; readonly media: Media }
  | { readonly kind: "refused"; readonly message: string }
  | { readonly kind: "unreachable"; readonly message: string };

/** Looks at one file. */
export async function probeFile(deps: Deps, url: string): Promise<ProbedFile> {
  return probe(deps.guardedFetch, url);
}

/** What speaks against the probed content of a post, as sentences; empty when fine. */
export function checkContent(rules: TypeRules, items: readonly ContentItem[]): readonly string[] {
  return contentProblems(rules, items);
}
