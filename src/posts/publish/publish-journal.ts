import { z } from "zod";
import { Copy } from "../../files/copy.ts";
import type { Journal, JournalForm } from "../../jobs/journal.ts";
import type { PlatformPost } from "../../platforms/publishing.ts";
import type { MediaFile } from "../../platforms/rules.ts";
import { StoredPlatformPost } from "../stored.ts";

/**
 * What publishing keeps in its job's journal, and in which form. `commit:n` tells what was made public and is
 * kept whatever the version; everything else can be done anew.
 */
export const FORM: JournalForm = { version: 1, isLasting: (step) => step.startsWith(COMMIT) };

export const COMMIT = "commit:";
export const commitStep = (item: number): string => `${COMMIT}${item}`;

/** Result of a `commit:n` step. `confirmAfterSeconds` null: the platform's answer says that it is live. */
export const Committed = z.object({ post: StoredPlatformPost, confirmAfterSeconds: z.number().nullable() });
export type Committed = z.output<typeof Committed>;

const Probing = z.object({
  files: z.array(
    z.object({
      url: z.string(),
      kind: z.enum(["image", "gif", "video"]),
      mime: z.string(),
      bytes: z.number(),
      width: z.number().nullable(),
      height: z.number().nullable(),
      durationSeconds: z.number().nullable(),
    }),
  ),
  /** What looking has cost so far, tries in vain included. */
  bytes: z.number(),
  ms: z.number(),
});
/** The files that were looked at so far. */
export interface Probing {
  readonly files: readonly MediaFile[];
  readonly bytes: number;
  readonly ms: number;
}
export const readProbing = (journal: Journal): Probing =>
  journal.read("files", Probing) ?? { files: [], bytes: 0, ms: 0 };
export const writeProbing = (journal: Journal, probing: Probing) => journal.write("files", probing);

/** Copies of the files in our bucket, for platforms that fetch them there. */
export const readCopies = (journal: Journal): readonly Copy[] | null => journal.read("copies", z.array(Copy));
export const writeCopies = (journal: Journal, copies: readonly Copy[]) => journal.write("copies", copies);

export const readCommitted = (journal: Journal, item: number) => journal.read(commitStep(item), Committed);

/** An accepted item that was seen live. */
export const readLive = (journal: Journal, item: number) => journal.read(`live:${item}`, StoredPlatformPost);
export const writeLive = (journal: Journal, item: number, post: PlatformPost) => journal.write(`live:${item}`, post);

/** An accepted item that will never be live: the platform said so. */
export const isBroken = (journal: Journal, item: number): boolean =>
  journal.read(`broken:${item}`, z.literal(true)) !== null;
export const markBroken = (journal: Journal, item: number) => journal.write(`broken:${item}`, true);

/** How often the permalink was asked for in vain. */
export const readPermalinkTries = (journal: Journal): number => journal.read("permalink", z.number()) ?? 0;
export const writePermalinkTries = (journal: Journal, tries: number) => journal.write("permalink", tries);

export interface LivePost extends PlatformPost {
  /** False while the platform has accepted it, but not said that it is live. */
  readonly isConfirmed: boolean;
}

/** Of the first `count` items those that the platform has accepted and has not given up afterwards. */
export function livePosts(journal: Journal, count: number): LivePost[] {
  const live: LivePost[] = [];
  for (let item = 0; item < count; item++) {
    const committed = readCommitted(journal, item);
    if (!committed || isBroken(journal, item)) continue;
    const confirmed = readLive(journal, item);
    live.push({
      ...(confirmed ?? committed.post),
      isConfirmed: confirmed !== null || committed.confirmAfterSeconds === null,
    });
  }
  return live;
}
