/** A picture as a page of a PDF file: the image object, and how it is placed. */
export interface PdfPage {
  /** As stored, before it is turned. */
  readonly width: number;
  readonly height: number;
  /** EXIF's, 1 to 8. */
  readonly orientation: number;
  readonly bitsPerSample: number;
  /** Without a profile of its own; `[/Indexed …]` for a palette. */
  readonly colorSpace: string;
  /** The samples of a pixel that a profile describes. */
  readonly profile: PdfProfile | null;
  /** Further entries of the image's dictionary: filter, decoding. */
  readonly entries: string;
  /** The data as the filter reads them, once. */
  data(): AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** An ICC profile. */
export interface PdfProfile {
  readonly samples: number;
  readonly data: Uint8Array;
  /** Whether the data are compressed by zlib. */
  readonly isPacked: boolean;
}

/** The picture is shown by browsers, but not by readers of PDF, or needs too much memory here. */
export class UnfitPicture extends Error {}

export const DEVICE_SPACES: Readonly<Record<number, string>> = { 1: "/DeviceGray", 3: "/DeviceRGB", 4: "/DeviceCMYK" };
const PROFILE_SPACES: Readonly<Record<string, number>> = { GRAY: 1, "RGB ": 3, CMYK: 4 };

/** Whether a profile is for pixels of so many samples. */
export function isProfileFor(samples: number, profile: Uint8Array): boolean {
  const space = String.fromCharCode(...profile.subarray(16, 20));
  return profile.byteLength >= 128 && PROFILE_SPACES[space] === samples;
}
