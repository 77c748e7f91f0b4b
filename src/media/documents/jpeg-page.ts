import { joined, latin1, uint16 } from "../bytes.ts";
import { APP1, END, isFrame, SCAN, type Segment, segmentsOf } from "../jpeg.ts";
import { Parts } from "../parts.ts";
import { exifOrientation } from "../tiff.ts";
import { DEVICE_SPACES, isProfileFor, type PdfPage, type PdfProfile, UnfitPicture } from "./pdf-page.ts";

/**
 * A JPEG as a page: its data stay as they are (DCTDecode). What is not needed to show it is left out, such as
 * EXIF with its places, and a video behind the picture: members can download a document.
 */
const APP0 = 0xe0;
const APP2 = 0xe2;
const APP14 = 0xee;
const APP15 = 0xef;
const COMMENT = 0xfe;
const PROFILE = "ICC_PROFILE\0";
/** Baseline, extended and progressive; readers of PDF know no others. */
const KNOWN_FRAMES = [0xc0, 0xc1, 0xc2];

const isLeftOut = (kind: number): boolean => kind === COMMENT || (kind > APP0 && kind <= APP15 && kind !== APP14);

export function jpegPage(jpeg: Uint8Array): PdfPage {
  const segments = [...segmentsOf(jpeg, new Parts())];
  const frame = segments.find(({ kind }) => isFrame(kind));
  const scan = segments.find(({ kind }) => kind === SCAN);
  if (!frame || !scan) throw new UnfitPicture("its header is incomplete");
  if (!KNOWN_FRAMES.includes(frame.kind) || jpeg[frame.start] !== 8) {
    throw new UnfitPicture("it is compressed in a rare way (arithmetic, lossless or 12 bits)");
  }
  const samples = jpeg[frame.start + 5] ?? 0;
  const colorSpace = DEVICE_SPACES[samples];
  if (colorSpace === undefined) throw new UnfitPicture(`it has ${samples} color components`);
  const exif = segments.find(({ kind, start }) => kind === APP1 && latin1(jpeg, start, 6) === "Exif\0\0");
  return {
    width: uint16(jpeg, frame.start + 3),
    height: uint16(jpeg, frame.start + 1),
    orientation: exif ? exifOrientation(jpeg.subarray(exif.start + 6, exif.end)) : 1,
    bitsPerSample: 8,
    colorSpace,
    profile: profileOf(jpeg, segments, samples),
    entries: `/Filter /DCTDecode${decodingOf(jpeg, segments, frame, samples)}`,
    data: () => dataOf(jpeg, segments, scan),
  };
}

/** How the samples become colors, where readers would assume otherwise. */
function decodingOf(jpeg: Uint8Array, segments: readonly Segment[], frame: Segment, samples: number): string {
  const adobe = segments.find(({ kind, start }) => kind === APP14 && latin1(jpeg, start, 5) === "Adobe");
  // Adobe's programs, and all that follow them, store CMYK inverted.
  if (samples === 4) return adobe ? " /Decode [1 0 1 0 1 0 1 0]" : "";
  const ids = [6, 9, 12].map((at) => String.fromCharCode(jpeg[frame.start + at] ?? 0)).join("");
  return samples === 3 && !adobe && ids === "RGB" ? " /DecodeParms << /ColorTransform 0 >>" : "";
}

/** The profile, which may be in several segments, in order. */
function profileOf(jpeg: Uint8Array, segments: readonly Segment[], samples: number): PdfProfile | null {
  const parts = segments
    .filter(({ kind, start }) => kind === APP2 && latin1(jpeg, start, PROFILE.length) === PROFILE)
    .map(({ start, end }) => ({ number: jpeg[start + 12] ?? 0, data: jpeg.subarray(start + 14, end) }))
    .sort((a, b) => a.number - b.number);
  const data = joined(parts.map((part) => part.data));
  return isProfileFor(samples, data) ? { samples, data, isPacked: false } : null;
}

function* dataOf(jpeg: Uint8Array, segments: readonly Segment[], scan: Segment): Iterable<Uint8Array> {
  yield jpeg.subarray(0, 2);
  for (const { kind, start, end } of segments) {
    if (kind === SCAN) break;
    if (!isLeftOut(kind)) yield jpeg.subarray(start - 4, end);
  }
  yield jpeg.subarray(scan.start - 4, endOf(jpeg, scan.end));
}

/** The offset after the picture's end: of the marker that is no part of its data. */
function endOf(jpeg: Uint8Array, from: number): number {
  for (let at = jpeg.indexOf(0xff, from); at >= 0 && at + 1 < jpeg.byteLength; at = jpeg.indexOf(0xff, at)) {
    const kind = jpeg[at + 1] ?? 0;
    if (kind === END) return at + 2;
    // A zero makes it a byte of data, and restarts are in the data.
    if (kind === 0xff) at += 1;
    else if (kind === 0 || (kind >= 0xd0 && kind <= 0xd7)) at += 2;
    else at += 2 + Math.max(2, uint16(jpeg, at + 2));
  }
  return jpeg.byteLength;
}
