import { z } from "zod";
import type { Statement } from "../../db/client.ts";
import { Copy } from "../../files/copy.ts";
import { StoredMedia } from "../../files/stored.ts";
import type { Journal, JournalForm } from "../../jobs/journal.ts";
import { MEDIA_KINDS } from "../../platforms/media-kinds.ts";
import type { PlatformPost } from "../../platforms/publishing.ts";
import type { MediaFile } from "../../platforms/rules.ts";
import { StoredPlatformPost } from "../stored.ts";

/**
 * The journal format of publish jobs. `commit:n` records what was made public and survives every version
 * change; all other steps can be repeated.
 */
export const FORM: JournalForm = { version: 1, isLasting: (step) => step.startsWith(COMMIT) };

export const COMMIT = "commit:";
export const commitStep = (item: number): string => `${COMMIT}${item}`;

/**
 * Result of a `commit:n` step. `confirmAfterSeconds` is null if the platform's answer already says that it is
 * live.
 */
export const Committed = z.object({ post: StoredPlatformPost, confirmAfterSeconds: z.number().nullable() });
export type Committed = z.output<typeof Committed>;

const Encoding = z.object({
  codec: z.string().nullable(),
  profile: z.string().nullable(),
  chroma: z.enum(["4:0:0", "4:2:0", "4:2:2", "4:4:4"]).nullable(),
  bitDepth: z.number().nullable(),
  hdr: z.enum(["PQ", "HLG"]).nullable(),
  fps: z.number().nullable(),
  minFps: z.number().nullable(),
  maxFps: z.number().nullable(),
  audio: z.object({ codec: z.string(), channels: z.number().nullable(), hz: z.number().nullable() }).nullable(),
});
const Probing = z.object({
  files: z.array(
    z.object({
      url: z.string(),
      kind: z.enum(MEDIA_KINDS),
      mime: z.string(),
      bytes: z.number(),
      width: z.number().nullable(),
      height: z.number().nullable(),
      durationSeconds: z.number().nullable(),
      encoding: Encoding.optional(),
      picture: z.object({ isCmyk: z.boolean(), isTurned: z.boolean(), isAnimated: z.boolean() }).optional(),
      pages: z.number().nullable().optional(),
      isFragmented: z.boolean().optional(),
      isMoving: z.boolean().optional(),
    }),
  ),
  /** The bytes that probing has cost so far, failed attempts included. */
  bytes: z.number(),
  ms: z.number(),
});
/** The files that were probed so far. */
export interface Probing {
  readonly files: readonly MediaFile[];
  readonly bytes: number;
  readonly ms: number;
}
export const readProbing = (journal: Journal): Probing =>
  journal.read("files", Probing) ?? { files: [], bytes: 0, ms: 0 };
/** Probing changes nothing outside, so results are stored in groups. */
export const writeProbing = (journal: Journal, probing: Probing) => journal.writeInGroups("files", probing, 0);

/** Copies of the files in our bucket, for platforms that fetch them there. */
export const readCopies = (journal: Journal): readonly Copy[] | null => journal.read("copies", z.array(Copy));
export const writeCopies = (journal: Journal, copies: readonly Copy[]) => journal.write("copies", copies);

/** The copies that fit the platform: those that are made, and how far the others are. */
const Fitted = z.object({
  url: z.string(),
  rule: z.string(),
  name: z.string(),
  progress: z.json(),
  made: z.object({ bytes: z.number(), media: StoredMedia }).nullable(),
});
export type Fitted = z.output<typeof Fitted>;
export const readFitted = (journal: Journal): readonly Fitted[] => journal.read("fitted", z.array(Fitted)) ?? [];
export const writeFitted = (journal: Journal, fitted: readonly Fitted[], also: readonly Statement[]) =>
  journal.write("fitted", fitted, also);

export const readCommitted = (journal: Journal, item: number) => journal.read(commitStep(item), Committed);

/** An accepted item that was confirmed live. */
export const readLive = (journal: Journal, item: number) => journal.read(`live:${item}`, StoredPlatformPost);
/** Read from the platform, and so stored with the next write. */
export const writeLive = (journal: Journal, item: number, post: PlatformPost) =>
  journal.writeWithNext(`live:${item}`, post);

/** Whether the platform reported that an accepted item will never be live. */
const isBroken = (journal: Journal, item: number): boolean => journal.read(`broken:${item}`, z.literal(true)) !== null;
export const markBroken = (journal: Journal, item: number) => journal.write(`broken:${item}`, true);

/** The number of failed attempts to read the permalink. */
export const readPermalinkTries = (journal: Journal): number => journal.read("permalink", z.number()) ?? 0;
export const writePermalinkTries = (journal: Journal, tries: number) => journal.write("permalink", tries);

/** A field that follows once the post is live: `message` says why the platform did not take it. */
const Applied = z.object({ tries: z.number(), isSettled: z.boolean(), message: z.string().nullable() });
export type Applied = z.output<typeof Applied>;
export const readApplied = (journal: Journal, field: string) => journal.read(`after:${field}`, Applied);
export const writeApplied = (journal: Journal, field: string, applied: Applied) =>
  journal.write(`after:${field}`, applied);

export interface LivePost extends PlatformPost {
  /** False while the platform has accepted it, but not confirmed that it is live. */
  readonly isConfirmed: boolean;
}

/** The first `count` items that the platform has accepted and not reported as broken since. */
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
