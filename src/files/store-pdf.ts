import { MAX_PART_BYTES } from "../core/max-part-bytes.ts";
import type { PdfPage } from "../media/documents/pdf-page.ts";
import { writePdf } from "../media/documents/write-pdf.ts";
import { copyMetadata } from "./fitted-copy.ts";
import type { StoredMedia } from "./stored.ts";

interface Stored {
  readonly name: string;
  readonly media: StoredMedia;
  readonly most: number;
}

/**
 * Writes a PDF into the bucket, in parts of one size, so that its length need not be known. Returns its
 * bytes; null if it has more than `most`, and then nothing is stored. Repeatable.
 */
export async function storePdf(
  files: R2Bucket,
  { name, media, most }: Stored,
  pages: AsyncIterable<PdfPage>,
): Promise<number | null> {
  const options = { customMetadata: copyMetadata(media) };
  const upload: { parts: R2UploadedPart[]; to: R2MultipartUpload | null } = { parts: [], to: null };
  const part = new Uint8Array(MAX_PART_BYTES);
  let held = 0;
  let bytes = 0;
  try {
    for await (const chunk of writePdf(pages)) {
      bytes += chunk.byteLength;
      if (bytes > most) {
        await upload.to?.abort();
        return null;
      }
      for (let at = 0; at < chunk.byteLength; ) {
        const taken = chunk.subarray(at, at + part.byteLength - held);
        part.set(taken, held);
        held += taken.byteLength;
        at += taken.byteLength;
        if (held < part.byteLength) continue;
        upload.to ??= await files.createMultipartUpload(name, options);
        upload.parts.push(await upload.to.uploadPart(upload.parts.length + 1, part));
        held = 0;
      }
    }
    if (upload.to === null) await files.put(name, part.subarray(0, held), options);
    else {
      if (held > 0) upload.parts.push(await upload.to.uploadPart(upload.parts.length + 1, part.subarray(0, held)));
      await upload.to.complete(upload.parts);
    }
    return bytes;
  } catch (error) {
    await upload.to?.abort().catch(() => undefined);
    throw error;
  }
}
