import { type ContentElement, contentOf, elementsIn, float, unsigned } from "./ebml.ts";
import { area, type Size, turned } from "./header.ts";
import type { Parts } from "./parts.ts";

const TRACK_ENTRY = 0xae;
const TRACK_TYPE = 0x83;
const TYPE_VIDEO = 1;
const TYPE_AUDIO = 2;
const VIDEO = 0xe0;
const PIXEL_WIDTH = 0xb0;
const PIXEL_HEIGHT = 0xba;
const CROP = { left: 0x54cc, right: 0x54dd, top: 0x54bb, bottom: 0x54aa } as const;
const DISPLAY_WIDTH = 0x54b0;
const DISPLAY_HEIGHT = 0x54ba;
const DISPLAY_UNIT = 0x54b2;
const UNIT_PIXELS = 0;
const UNIT_RATIO = 3;
const PROJECTION = 0x7670;
const PROJECTION_ROLL = 0x7675;

/** The elements of the first audio track; empty for other tracks. */
export function audioTrack({ id, bytes }: ContentElement, parts: Parts): readonly (readonly ContentElement[])[] {
  const entry = id === TRACK_ENTRY ? elementsIn(bytes, parts) : [];
  return unsigned(contentOf(entry, TRACK_TYPE)) === TYPE_AUDIO ? [entry] : [];
}

interface VideoTrack {
  /** The display size. */
  readonly size: Size;
  readonly entry: readonly ContentElement[];
}

/** Empty for other tracks. */
export function videoTrack({ id, bytes }: ContentElement, parts: Parts): readonly VideoTrack[] {
  const entry = id === TRACK_ENTRY ? elementsIn(bytes, parts) : [];
  if (unsigned(contentOf(entry, TRACK_TYPE)) !== TYPE_VIDEO) return [];
  const video = elementsIn(contentOf(entry, VIDEO), parts);
  const number = (id: number) => unsigned(contentOf(video, id));
  const coded = {
    width: Math.max(0, number(PIXEL_WIDTH) - number(CROP.left) - number(CROP.right)),
    height: Math.max(0, number(PIXEL_HEIGHT) - number(CROP.top) - number(CROP.bottom)),
  };
  const size = displayed(coded, { width: number(DISPLAY_WIDTH), height: number(DISPLAY_HEIGHT) }, number(DISPLAY_UNIT));
  const roll = Math.abs(float(contentOf(elementsIn(contentOf(video, PROJECTION), parts), PROJECTION_ROLL)));
  return [{ size: roll === 90 || roll === 270 ? turned(size) : size, entry }];
}

/** Pixels need not be square; a size in centimeters says nothing about them. */
function displayed(coded: Size, display: Size, unit: number): Size {
  if (area(display) === 0) return coded;
  if (unit === UNIT_RATIO) {
    return { width: Math.round((coded.height * display.width) / display.height), height: coded.height };
  }
  return unit === UNIT_PIXELS ? display : coded;
}
