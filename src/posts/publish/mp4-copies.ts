import { z } from "zod";
import { SECOND } from "../../core/time.ts";
import { contentKey, copyMetadata } from "../../files/fitted-copy.ts";
import type { StoredMedia } from "../../files/stored.ts";
import { Budget } from "../../media/budget.ts";
import { joined } from "../../media/bytes.ts";
import { fileProblems } from "../../media/check.ts";
import { SAFE_WORDS } from "../../media/encoding-check.ts";
import { fileName, READ_TIMEOUT_MS, unreadable } from "../../media/file.ts";
import { ownFileName } from "../../media/own-address.ts";
import { asMp4, MP4, needsMp4 } from "../../media/repackaging.ts";
import type { Json } from "../../platforms/context.ts";
import type { MediaFile } from "../../platforms/rules.ts";
import type { Deps } from "../../service/deps.ts";
import { planMp4, type RepackagedMp4 } from "../../video/repackage/plan.ts";
import type { Source } from "../../video/repackage/source.ts";
import type { Reason } from "../../video/repackage/unfit.ts";
import type { CopyFailure, CopyMaker, CopyStep } from "./fit-files.ts";

/**
 * QuickTime files and MP4 in fragments as ordinary MP4, for platforms that do not take them: no document of a
 * platform says that it takes fragments, and X and Instagram refuse them. The frames pass in parts into a
 * multipart upload, one part an act; a delivery that dies continues with the next part.
 */
export const MP4_COPIES: CopyMaker = {
  plan(file, { files }) {
    const rules = files[file.kind];
    const made = asMp4(file);
    if (!rules || !made || !needsMp4(rules, file) || fileProblems(files, made).length > 0) return null;
    return {
      rule: MP4,
      maxBytes: file.bytes + Math.min(file.bytes, MOST_ADDED_BYTES) + MB,
      file: made,
      describe: () => "an MP4",
    };
  },
  async open(deps, file, { file: made }) {
    const own = ownFileName(file.url);
    const source = sourceOf(deps, file, own);
    try {
      const planned = await planMp4(source);
      if (planned.kind !== "plan") return unfit(file, planned);
      const { mp4 } = planned;
      const { kind, width, height, durationSeconds } = made;
      const media = { kind, mime: MP4, width, height, durationSeconds };
      const of = own ?? (await fingerprint(source, mp4));
      const copying = { deps, file, source, mp4, media };
      return { kind: "open", of, next: (name, progress) => failing(() => next(copying, name, progress)), close() {} };
    } catch (error) {
      return failureOf(error);
    }
  },
};

const MB = 1024 * 1024;
/** The bucket's smallest part; all but the last have the same size. */
const PART_BYTES = 5 * MB;
/** A part, and what is read for it at once. */
const HELD_BYTES = 8 * MB;
/** Tables that a fragmented file does not have. */
const MOST_ADDED_BYTES = 16 * MB;
const SLOT_WAIT_MS = 15 * SECOND;

interface Copying {
  readonly deps: Deps;
  readonly file: MediaFile;
  readonly source: Source;
  readonly mp4: RepackagedMp4;
  readonly media: StoredMedia;
}

/** The bucket's upload, and what it answered for each part. */
const Progress = z.object({ uploadId: z.string(), etags: z.array(z.string()) });

async function next({ deps, source, mp4, media }: Copying, name: string, progress: Json): Promise<CopyStep> {
  const { files } = deps;
  const made = { kind: "made", bytes: mp4.bytes, media } as const;
  const customMetadata = copyMetadata(media);
  if (progress === null && mp4.bytes > PART_BYTES) {
    const { uploadId } = await files.createMultipartUpload(name, { customMetadata });
    return { kind: "progress", progress: { uploadId, etags: [] } };
  }
  const slot = deps.uploads.slot();
  // Other files are on their way: nothing is done in this act.
  if (!(await slot.take(HELD_BYTES, SLOT_WAIT_MS))) return { kind: "progress", progress };
  try {
    if (progress === null) {
      await files.put(name, await mp4.read(source, 0, mp4.bytes), { customMetadata });
      return made;
    }
    const { uploadId, etags } = Progress.parse(progress);
    const upload = files.resumeMultipartUpload(name, uploadId);
    const start = etags.length * PART_BYTES;
    if (start >= mp4.bytes) {
      await upload.complete(etags.map((etag, index) => ({ partNumber: index + 1, etag })));
      return made;
    }
    const part = await mp4.read(source, start, Math.min(start + PART_BYTES, mp4.bytes));
    const { etag } = await upload.uploadPart(etags.length + 1, part);
    return { kind: "progress", progress: { uploadId, etags: [...etags, etag] } };
  } finally {
    slot.release();
  }
}

async function failing(act: () => Promise<CopyStep>): Promise<CopyStep | CopyFailure> {
  try {
    return await act();
  } catch (error) {
    return failureOf(error);
  }
}

/** The original could not be read. */
class Unread extends Error {
  readonly failure: CopyFailure;

  constructor(failure: CopyFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

function failureOf(error: unknown): CopyFailure {
  if (error instanceof Unread) return error.failure;
  throw error;
}

/** Our file comes from the bucket in one request a range; a file elsewhere is checked with each. */
function sourceOf({ files, guardedFetch }: Deps, { url, bytes }: MediaFile, own: string | null): Source {
  const name = fileName(url);
  const changed = { message: `${name} has changed or was cut off since it was checked. Post it again.`, isFinal: true };
  const fail = ({ message, isFinal }: { readonly message: string; readonly isFinal: boolean }): never => {
    throw new Unread({ kind: "failed", isFinal, code: "media_unreachable", message });
  };
  const budget = new Budget({ bytes: 3 * bytes + MB, ms: Number.MAX_SAFE_INTEGER });
  return {
    bytes,
    async read(start, end) {
      const object = own === null ? null : await files.get(own, { range: { offset: start, length: end - start } });
      if (object) {
        const body = object.size === bytes ? new Uint8Array(await object.arrayBuffer()) : fail(changed);
        return body;
      }
      const options = { range: { start, end }, maxBytes: 0, timeoutMs: READ_TIMEOUT_MS, budget };
      const answer = await guardedFetch(url, options);
      const isRange = answer.kind === "ok" && answer.status === 206;
      if (!isRange) {
        const { kind, message } = unreadable(answer, name);
        return fail({ message, isFinal: kind === "refused" });
      }
      const { totalBytes, body } = answer;
      return (totalBytes ?? bytes) === bytes && body.byteLength === end - start ? body : fail(changed);
    },
  };
}

const EDGE_BYTES = 64 * 1024;

/**
 * Identifies a file elsewhere without reading all of it: the place, size and time of each frame, and its
 * first and last bytes.
 */
async function fingerprint(source: Source, mp4: RepackagedMp4): Promise<string> {
  const [first, last] = [Math.min(EDGE_BYTES, source.bytes), Math.max(0, source.bytes - EDGE_BYTES)];
  const edges = [await source.read(0, first), await source.read(last, source.bytes)];
  let key = `${source.bytes}`;
  for (const piece of [...mp4.front, ...edges]) {
    key = await contentKey(joined([new TextEncoder().encode(key), piece]));
  }
  return key;
}

function unfit({ url }: MediaFile, reason: Reason): CopyFailure {
  const name = fileName(url);
  const message = `${name} cannot be sent as an MP4: ${WORDS[reason.why](reason)} Export it with ${SAFE_WORDS}.`;
  return { kind: "failed", isFinal: true, code: "media_invalid", message };
}

const WORDS: Readonly<Record<Reason["why"], (reason: Reason) => string>> = {
  cut_off: () => "it is cut off, it has fewer bytes than its header states.",
  damaged: () => "its tables of frames contradict each other or the file.",
  too_complex: () => "it has more frames, or a larger header, than can be rewritten.",
  encrypted: () => "it is encrypted.",
  codec: (reason) => (reason.why === "codec" ? `an MP4 has no place for its ${reason.of} codec, ${reason.codec}.` : ""),
};
