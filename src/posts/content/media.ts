import { said, type Warning } from "../../core/checks.ts";
import { isNearlySpent } from "../../core/meter.ts";
import { Budget, type Spent } from "../../media/budget.ts";
import { altTextsLeftOut, type ContentProblem, contentProblems, fileWarnings } from "../../media/check.ts";
import { fileName, type Unreadable, unreachable } from "../../media/file.ts";
import { ownFileName } from "../../media/own-address.ts";
import { type ProbeOutcome, probe } from "../../media/probe.ts";
import type { ContentItem } from "../../platforms/publishing.ts";
import type { Media, MediaFile, TypeRules } from "../../platforms/rules.ts";
import type { Deps } from "../../service/deps.ts";
import type { PlannedItem, PostContent } from "./content.ts";
import { coverUrls } from "./cover.ts";

/**
 * The media files of a post, identified by their bytes. Publishing probes one file per journal step, so a
 * post with many slow files resumes where it stopped. validate-post probes all files within the request.
 */
type Prober = Pick<Deps, "guardedFetch">;

export type Checked =
  | {
      readonly kind: "items";
      readonly items: readonly ContentItem[];
      readonly leftOut: readonly Warning[];
      /** About files that the platform may refuse or convert: it does not document whether it takes them. */
      readonly warnings: readonly Warning[];
    }
  /** At least one problem. Each sentence names the file, its properties and the allowed ones. */
  | { readonly kind: "refused"; readonly problems: readonly [MediaProblem, ...MediaProblem[]] };

/** A problem of a post's content, including its files. */
type MediaProblem = ContentProblem | Pick<Unreadable, "code" | "message" | "check">;

/** The limits of one request over all its files. */
const PROBED_AT_ONCE = 4;
const MB = 1024 * 1024;
const REQUEST_BYTES = 64 * MB;
/** Over all its files, as media/parts.ts counts them: about 20 ms. */
const REQUEST_PARTS = 150_000;

/** The URLs of a post's files, without duplicates, in order. */
export function fileUrls(planned: readonly PlannedItem[]): readonly string[] {
  return [...new Set(planned.flatMap((item) => item.mediaUrls))];
}

/** The names of our uploaded files among the URLs. A name that only looks like one belongs to no file. */
export function ownFiles(draft: Pick<PostContent, "mediaUrls" | "thread" | "options">): readonly string[] {
  const urls = [...[draft, ...draft.thread].flatMap(({ mediaUrls }) => mediaUrls), ...coverUrls(draft.options)];
  return urls.flatMap((url) => ownFileName(url) ?? []);
}

/**
 * Probes one file with at most 12 requests in 25 s. `unreachable` may be temporary, `refused` is final. Both
 * name the file.
 */
export function probeFile(deps: Prober, url: string, budget?: Budget): Promise<ProbeOutcome> {
  return probe(deps.guardedFetch, url, budget);
}

/** Puts the probed files into their items and checks them against the platform's rules. */
export function checkContent(
  rules: TypeRules,
  planned: readonly PlannedItem[],
  files: ReadonlyMap<string, MediaFile>,
): Checked {
  const items = planned.map(({ text, mediaUrls, altTexts }) => ({
    text,
    media: mediaUrls.map((url, index) => toMedia(getFile(files, url), rules, altTexts[index] ?? null)),
  }));
  const [first, ...others] = contentProblems(rules, items);
  if (first) return { kind: "refused", problems: [first, ...others] };
  const leftOut = planned.flatMap(({ altTexts }, index) => {
    const field = rules.items.max > 1 ? `twitter_threads.${index}.alt_texts` : "alt_texts";
    return altTextsLeftOut(field, rules.files, altTexts, items[index]?.media ?? []);
  });
  const warnings = items.flatMap(({ media }, index) => {
    const field = rules.items.max > 1 ? `twitter_threads.${index}.media_urls` : "media_urls";
    return fileWarnings(field, rules.files, media);
  });
  return { kind: "items", items, leftOut, warnings };
}

/** Drops alt texts that the platform does not accept for such a file, so adapters never see them. */
function toMedia(file: MediaFile, { files }: TypeRules, altText: string | null): Media {
  const isTaken = files[file.kind]?.maxAltText !== undefined;
  return { ...file, publicUrl: file.url, altText: isTaken ? altText : null };
}

function getFile(files: ReadonlyMap<string, MediaFile>, url: string): MediaFile {
  const media = files.get(url);
  if (!media) throw new Error("A media file of the post was not probed.");
  return media;
}

export type Probed = ReadonlyMap<string, ProbeOutcome>;

/**
 * Probes files within `ms`, a few at a time. A file that is unreadable or unfinished by then is reported as a
 * problem that names it.
 */
export async function probeFiles(deps: Prober & Pick<Deps, "meter">, urls: readonly string[], ms: number) {
  const budget = new Budget({ bytes: REQUEST_BYTES, ms, parts: REQUEST_PARTS });
  const outcomes = new Map<string, ProbeOutcome>();
  const waiting = urls.values();
  const probeNext = (url: string): ProbeOutcome | Promise<ProbeOutcome> => {
    if (budget.spent) return skipped(url, budget.spent);
    return isNearlySpent(deps.meter) ? tooMany(url) : probeFile(deps, url, budget);
  };
  const work = async (): Promise<void> => {
    for (const url of waiting) outcomes.set(url, await probeNext(url));
  };
  await Promise.all(Array.from({ length: PROBED_AT_ONCE }, work));
  return outcomes;
}

/** The planned items with their files, or the problems of these. */
export function checkProbed(rules: TypeRules, planned: readonly PlannedItem[], probed: Probed): Checked {
  const files = new Map<string, MediaFile>();
  const problems: MediaProblem[] = [];
  for (const url of fileUrls(planned)) {
    const outcome = probed.get(url);
    if (outcome?.kind === "media") files.set(url, outcome.media);
    else if (outcome) problems.push(outcome);
  }
  const [first, ...others] = problems;
  return first ? { kind: "refused", problems: [first, ...others] } : checkContent(rules, planned, files);
}

function tooMany(url: string): ProbeOutcome {
  return unchecked(url, "one request cannot read as many files.");
}

function skipped(url: string, { what, limits }: Spent): ProbeOutcome {
  const all = what === "time" ? `${limits.ms / 1000} s` : `${limits.bytes / MB} MB`;
  return unchecked(url, `the files before it used the whole ${all} of the request.`);
}

function unchecked(url: string, why: string): ProbeOutcome {
  const name = fileName(url);
  return unreachable(said(`${name} was not checked: ${why}`, "unchecked", name));
}
