/**
 * The part of a picture that a person chooses, in pixels of the picture as it is displayed. Pure. The part
 * stays within the picture, and its ratio (width divided by height) within the bounds.
 */
export interface Area {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export interface Sides {
  readonly width: number;
  readonly height: number;
}

export interface Ratios {
  readonly min: number;
  readonly max: number;
}

export const ANY_RATIO: Ratios = { min: 0, max: Number.POSITIVE_INFINITY };
/** Of a side, in pixels: a smaller part is no picture. */
const LEAST = 64;

const clamped = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most);

/** The largest part in the middle of the picture that has a ratio within the bounds. */
export function largestArea(picture: Sides, ratios: Ratios): Area {
  const size = within({ width: picture.width, height: picture.height }, ratios);
  return centered(picture, size, { x: picture.width / 2, y: picture.height / 2 });
}

/** The part at another place, as near to it as the picture allows. */
export function movedTo(picture: Sides, { width, height }: Sides, { left, top }: Pick<Area, "left" | "top">): Area {
  return {
    left: Math.round(clamped(left, 0, picture.width - width)),
    top: Math.round(clamped(top, 0, picture.height - height)),
    width,
    height,
  };
}

/**
 * The part with another width or height: the side that was set decides, and the other one follows where the
 * ratio or the picture asks for it. Its middle stays, as far as the picture allows.
 */
export function resized(picture: Sides, area: Area, ratios: Ratios, set: Partial<Sides>): Area {
  const middle = { x: area.left + area.width / 2, y: area.top + area.height / 2 };
  return centered(picture, sized(picture, area, ratios, set), middle);
}

/** A corner that is pulled to a point: the opposite one stays where it is. */
export interface Pull {
  readonly isLeft: boolean;
  readonly isTop: boolean;
  readonly x: number;
  readonly y: number;
}

export function pulled(picture: Sides, area: Area, ratios: Ratios, corner: Pull): Area {
  const fixed = {
    x: corner.isLeft ? area.left + area.width : area.left,
    y: corner.isTop ? area.top + area.height : area.top,
  };
  const room = {
    width: corner.isLeft ? fixed.x : picture.width - fixed.x,
    height: corner.isTop ? fixed.y : picture.height - fixed.y,
  };
  const wanted = {
    width: corner.isLeft ? fixed.x - corner.x : corner.x - fixed.x,
    height: corner.isTop ? fixed.y - corner.y : corner.y - fixed.y,
  };
  const { width, height } = sized(room, area, ratios, wanted);
  return {
    left: corner.isLeft ? fixed.x - width : fixed.x,
    top: corner.isTop ? fixed.y - height : fixed.y,
    width,
    height,
  };
}

function sized(room: Sides, area: Sides, ratios: Ratios, set: Partial<Sides>): Sides {
  const { width: newWidth, height: newHeight } = set;
  let width = clamped(newWidth ?? area.width, LEAST, room.width);
  let height = clamped(newHeight ?? area.height, LEAST, room.height);
  // Of a pulled corner, the side that was pulled further leads.
  const isByWidth =
    newHeight === undefined || (newWidth !== undefined && newWidth / area.width > newHeight / area.height);
  if (isByWidth) height = clamped(height, width / ratios.max, width / Math.max(ratios.min, Number.MIN_VALUE));
  else width = clamped(width, height * ratios.min, height * ratios.max);
  return within({ width: Math.min(width, room.width), height: Math.min(height, room.height) }, ratios);
}

/** The largest whole sides that are no larger, with a ratio within the bounds. */
function within({ width, height }: Sides, { min, max }: Ratios): Sides {
  const widest = Math.max(1, Math.floor(Math.min(width, height * max)));
  const highest = (wide: number) => Math.floor(Math.min(height, wide / Math.max(min, Number.MIN_VALUE)));
  // Narrow bounds have no whole height for every width.
  for (let wide = widest; wide > 0; wide -= 1) {
    const high = highest(wide);
    if (high > 0 && wide <= high * max) return { width: wide, height: high };
  }
  return { width: widest, height: Math.max(1, highest(widest)) };
}

function centered(picture: Sides, size: Sides, { x, y }: { readonly x: number; readonly y: number }): Area {
  return movedTo(picture, size, { left: x - size.width / 2, top: y - size.height / 2 });
}

/** Shapes that people choose, width to height. */
export const SHAPES = ["1:1", "4:5", "3:4", "9:16", "5:4", "4:3", "16:9", "1.91:1"] as const;
export type Shape = (typeof SHAPES)[number];

/** The bounds of one shape: a whole picture is never exactly of its ratio. */
export function ratiosOf(shape: string, allowed: Ratios): Ratios {
  const [width, height] = shape.split(":").map(Number);
  if (!width || !height) return allowed;
  const ratio = width / height;
  return {
    min: clamped(ratio * (1 - TOLERANCE), allowed.min, allowed.max),
    max: clamped(ratio * (1 + TOLERANCE), allowed.min, allowed.max),
  };
}

const TOLERANCE = 0.004;

/** Whether a shape is within the bounds. */
export function isAllowed(shape: string, { min, max }: Ratios): boolean {
  const [width, height] = shape.split(":").map(Number);
  if (!width || !height) return true;
  return width / height >= min && width / height <= max;
}
