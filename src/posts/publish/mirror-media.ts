import { type SQL, sql } from "drizzle-orm";
import { type ActingAs, handleFailure } from "../../acting/acting.ts";
import { MAX_PART_BYTES } from "../../core/max-part-bytes.ts";
import { SECOND } from "../../core/time.ts";
import { announceCopies, type Copy, copyStep, newCopy } from "../../files/copy.ts";
import { fileAddress, ownFileName } from "../../media/own-address.ts";
import { createReader } from "../../media/reader.ts";
import type { ContentItem } from "../../platforms/publishing.ts";
import type { Media, TypeRules } from "../../platforms/rules.ts";
import type { Post } from "../store.ts";
import { readCopies, writeCopies } from "./publish-journal.ts";

/** How long a delivery waits before it checks again whether other uploads have finished. */
export const UPLOAD_WAIT_MS = 15 * SECOND;
const STEP = "copies";

interface Copying extends ActingAs {
  readonly post: Post;
}

/**
 * Some platforms fetch files themselves, and only from domains that the operator has verified
 * (`FileRules.pulledFrom`). Files elsewhere are first copied into our bucket, one part per journal step, and
 * get an address there. The copies are deleted a day after the post is completed.
 */
export async function mirrorMedia(
  copying: Copying,
  rules: TypeRules,
  items: readonly ContentItem[],
): Promise<readonly ContentItem[]> {
  const pulled = items.flatMap(({ media }) => media.filter((one) => isPulled(rules, one)));
  if (pulled.length === 0) return items;
  const origin = copying.deps.config.publicOrigin;
  if (origin === null) return handleFailure(copying, withoutOrigin(copying), STEP);
  const copies = await copyAll(copying, pulled);
  return items.map((item) => ({
    ...item,
    media: item.media.map((one) => {
      const name = copies.get(one.url);
      return name !== undefined && isPulled(rules, one)
        ? { ...one, publicUrl: fileAddress(origin, name, one.mime) }
        : one;
    }),
  }));
}

function isPulled({ files }: TypeRules, { kind }: Media): boolean {
  return files[kind]?.pulledFrom === "verified_domain";
}

function withoutOrigin({ channel }: Copying) {
  const message = `${channel.platform} fetches such files only from this service's own address. The operator must set PUBLIC_ORIGIN.`;
  return { kind: "failed", reason: "blocked", message } as const;
}

/** The names of the files in our bucket, by their addresses. */
async function copyAll(copying: Copying, pulled: readonly Media[]): Promise<ReadonlyMap<string, string>> {
  const { post, journal } = copying;
  let copies = readCopies(journal) ?? (await plan(copying, pulled));
  // For a deleted post, items that may be live are only looked up.
  if (post.state !== "deleted" && copies.some(({ isWhole }) => !isWhole))
    copies = await copyMissing(copying, pulled, copies);
  return new Map(copies.map(({ url, name }) => [url, name]));
}

/** Chosen once, because the platform may already know the names. A file in the bucket needs no copy. */
async function plan({ deps, journal }: Copying, pulled: readonly Media[]): Promise<readonly Copy[]> {
  const copies: Copy[] = [];
  for (const media of new Map(pulled.map((one) => [one.url, one])).values()) {
    const own = ownFileName(media.url);
    const isOurs = own !== null && (await deps.files.head(own)) !== null;
    copies.push(isOurs ? { ...newCopy(media), name: own, isWhole: true } : newCopy(media));
  }
  await writeCopies(journal, copies);
  return copies;
}

async function copyMissing(copying: Copying, pulled: readonly Media[], planned: readonly Copy[]) {
  const { deps, journal, post } = copying;
  const files = new Map(pulled.map((one) => [one.url, one]));
  const missing = planned.flatMap((copy) => {
    const media = files.get(copy.url);
    return copy.isWhole || !media ? [] : [{ copy, media }];
  });
  const owner = { projectId: post.projectId, postId: post.id, isOpen: isOpen(post) };
  const sizes = missing.map(({ copy: { name }, media: { bytes } }) => ({ name, bytes }));
  await announceCopies(deps, owner, sizes);
  const reader = createReader(deps.guardedFetch, { isCareful: journal.retriesOf(STEP) > 0 });
  const slot = deps.uploads.slot();
  let copies = planned;
  try {
    for (const { copy: first, media } of missing) {
      for (let copy = first; !copy.isWhole; ) {
        await journal.checkpoint();
        if (!(await slot.take(Math.min(media.bytes, MAX_PART_BYTES), UPLOAD_WAIT_MS))) {
          return journal.retryLater(1, "Other files are being uploaded.", null);
        }
        const next = await copyStep(deps, copy, media, reader.read);
        if ("kind" in next) return await handleFailure(copying, next, STEP);
        copy = next;
        copies = copies.map((one) => (one.name === next.name ? next : one));
        await writeCopies(journal, copies);
        if (!reader.isHolding) slot.release();
      }
    }
  } finally {
    slot.release();
  }
  return copies;
}

/** True while the post is not completed: completion releases its files. */
function isOpen({ id }: Post): SQL {
  return sql`EXISTS (SELECT 1 FROM posts WHERE posts.id = ${id} AND posts.state NOT IN ('published', 'failed', 'deleted'))`;
}
