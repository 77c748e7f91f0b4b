import { latin1, uint16, uint32 } from "../bytes.ts";
import { inflated } from "./inflate.ts";
import { isProfileFor, type PdfPage, type PdfProfile, UnfitPicture } from "./pdf-page.ts";
import { type Png, plainRows } from "./png-rows.ts";

/**
 * A PNG as a page: its data stay as they are, because PDF has its compression and filters (FlateDecode with a
 * predictor). Transparent and interlaced pictures are decoded; what is transparent becomes white.
 */
const GRAY = 0;
const INDEXED = 3;
const GRAY_ALPHA = 4;
const RGB_ALPHA = 6;
const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
const MAX_PROFILE_BYTES = 4 * 1024 * 1024;

export async function pngPage(bytes: Uint8Array): Promise<PdfPage> {
  const { header, chunks } = chunksOf(bytes);
  const [width, height] = [uint32(header, 0), uint32(header, 4)];
  const [depth = 8, type = 2] = [header[8], header[9]];
  const samples = SAMPLES[type];
  if (samples === undefined) throw new UnfitPicture("its header is damaged");
  const pixels = chunks.get("IDAT") ?? [];
  const palette = chunks.get("PLTE")?.[0] ?? new Uint8Array();
  const alpha = chunks.get("tRNS")?.[0] ?? new Uint8Array();
  const png: Png = { width, height, depth, type, samples, pixels, palette: onWhite(palette, alpha), alpha };
  const colors = type === GRAY || type === GRAY_ALPHA ? 1 : 3;
  const profile = await profileOf(chunks.get("iCCP")?.[0], colors);
  const size = { width, height, orientation: 1 };
  const isInterlaced = header[12] === 1;
  if (type === GRAY_ALPHA || type === RGB_ALPHA || isInterlaced) {
    const entries = predictor(colors, 8, width);
    const colorSpace = colors === 1 ? "/DeviceGray" : "/DeviceRGB";
    return { ...size, bitsPerSample: 8, colorSpace, profile, entries, data: () => plainRows(png, isInterlaced) };
  }
  const mask = type === INDEXED ? "" : maskOf(alpha, samples);
  const colorSpace = type === INDEXED ? indexed(png.palette) : type === GRAY ? "/DeviceGray" : "/DeviceRGB";
  return {
    ...size,
    bitsPerSample: depth,
    colorSpace,
    profile: type === INDEXED ? null : profile,
    entries: predictor(samples, depth, width) + mask,
    data: () => pixels,
  };
}

const predictor = (colors: number, bits: number, columns: number): string =>
  `/Filter /FlateDecode /DecodeParms << /Predictor 15 /Colors ${colors} /BitsPerComponent ${bits} /Columns ${columns} >>`;

/** The header, and the chunks of each type in order. */
function chunksOf(png: Uint8Array) {
  const chunks = new Map<string, Uint8Array[]>();
  for (let at = 8; at + 12 <= png.byteLength; ) {
    const length = uint32(png, at);
    const type = latin1(png, at + 4, 4);
    const same = chunks.get(type) ?? [];
    same.push(png.subarray(at + 8, at + 8 + length));
    chunks.set(type, same);
    at += 12 + length;
    if (type === "IEND") break;
  }
  const header = chunks.get("IHDR")?.[0];
  if (!header) throw new UnfitPicture("its header is missing");
  return { header, chunks };
}

/** One color that stands for nothing: its pixels are not painted. */
function maskOf(alpha: Uint8Array, samples: number): string {
  if (alpha.byteLength < samples * 2) return "";
  const key = Array.from({ length: samples }, (_, index) => uint16(alpha, index * 2));
  return ` /Mask [${key.flatMap((value) => [value, value]).join(" ")}]`;
}

/** The colors of a palette as they look on white. */
function onWhite(palette: Uint8Array, alpha: Uint8Array): Uint8Array {
  return palette.map((value, index) => {
    const opacity = alpha[Math.floor(index / 3)] ?? 255;
    return Math.round((value * opacity + 255 * (255 - opacity)) / 255);
  });
}

function indexed(palette: Uint8Array): string {
  const digits = Array.from(palette, (value) => value.toString(16).padStart(2, "0")).join("");
  return `[/Indexed /DeviceRGB ${Math.max(0, palette.byteLength / 3 - 1)} <${digits}>]`;
}

/** A name, a zero, the method 0, and the profile, compressed. */
async function profileOf(chunk: Uint8Array | undefined, samples: number): Promise<PdfProfile | null> {
  const end = chunk?.indexOf(0) ?? -1;
  if (!chunk || end < 0) return null;
  const data = chunk.subarray(end + 2);
  const profile = await inflated(data, "deflate", MAX_PROFILE_BYTES);
  return profile && isProfileFor(samples, profile) ? { samples, data, isPacked: true } : null;
}
