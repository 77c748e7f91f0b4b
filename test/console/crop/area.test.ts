import { describe, test } from "vitest";
import {
  ANY_RATIO,
  type Area,
  isAllowed,
  largestArea,
  movedTo,
  pulled,
  type Ratios,
  ratiosOf,
  resized,
  SHAPES,
  type Sides,
} from "../../../src/console/crop/area.ts";
import { seededRandom } from "../../support/random.ts";

/** Instagram's bounds. */
const FEED: Ratios = { min: 0.75, max: 1.91 };

test.for([
  [{ width: 4000, height: 1000 }, FEED, { left: 1045, top: 0, width: 1910, height: 1000 }],
  [{ width: 1000, height: 4000 }, FEED, { left: 0, top: 1334, width: 1000, height: 1333 }],
  [{ width: 1200, height: 900 }, FEED, { left: 0, top: 0, width: 1200, height: 900 }],
  [{ width: 1200, height: 900 }, ANY_RATIO, { left: 0, top: 0, width: 1200, height: 900 }],
] as const)("the largest part in the middle of %o", ([picture, ratios, area], { expect }) => {
  expect(largestArea(picture, ratios)).toEqual(area);
});

test("shapes beyond the bounds are not offered", ({ expect }) => {
  expect(SHAPES.filter((shape) => isAllowed(shape, FEED))).toEqual([
    "1:1",
    "4:5",
    "3:4",
    "5:4",
    "4:3",
    "16:9",
    "1.91:1",
  ]);
  expect(ratiosOf("", FEED)).toEqual(FEED);
  expect(largestArea({ width: 3000, height: 3000 }, ratiosOf("1.91:1", FEED))).toMatchObject({ width: 3000 });
});

test("a corner leaves the opposite one where it is", ({ expect }) => {
  const area = { left: 100, top: 100, width: 400, height: 300 };
  const picture = { width: 1000, height: 800 };
  expect(pulled(picture, area, ANY_RATIO, { isLeft: false, isTop: false, x: 700, y: 500 })).toEqual({
    left: 100,
    top: 100,
    width: 600,
    height: 400,
  });
  expect(pulled(picture, area, ANY_RATIO, { isLeft: true, isTop: true, x: -50, y: 50 })).toEqual({
    left: 0,
    top: 50,
    width: 500,
    height: 350,
  });
});

describe("whatever a person does, the part", () => {
  const random = seededRandom(47);
  const pick = <T>(list: readonly [T, ...T[]]): T => list[Math.floor(random.between(0, list.length))] ?? list[0];
  const cases = Array.from({ length: 60 }, (_, at) => {
    const picture = { width: Math.floor(random.between(200, 6000)), height: Math.floor(random.between(200, 6000)) };
    const allowed = pick<Ratios>([ANY_RATIO, FEED, { min: 0.8, max: 1.91 }, { min: 0.5, max: 2 }]);
    return { at, picture, ratios: pick([allowed, ratiosOf("1:1", allowed), ratiosOf("4:5", allowed)]) };
  });

  const act = (picture: Sides, area: Area, ratios: Ratios): Area => {
    const anywhere = (side: number) => random.between(-side, 2 * side);
    const at = { x: anywhere(picture.width), y: anywhere(picture.height) };
    switch (pick(["move", "width", "height", "pull"])) {
      case "move":
        return movedTo(picture, area, { left: at.x, top: at.y });
      case "width":
        return resized(picture, area, ratios, { width: at.x });
      case "height":
        return resized(picture, area, ratios, { height: at.y });
      default:
        return pulled(picture, area, ratios, { isLeft: pick([true, false]), isTop: pick([true, false]), ...at });
    }
  };

  test.for(cases)("$at stays within the picture and the bounds", ({ picture, ratios }, { expect }) => {
    let area = largestArea(picture, ratios);
    for (let acts = 0; acts < 40; acts++) {
      area = act(picture, area, ratios);
      const { left, top, width, height } = area;
      const shown = JSON.stringify({ picture, ratios, area });
      expect([left, top, width, height].every(Number.isInteger), shown).toBe(true);
      expect(left >= 0 && top >= 0 && width > 0 && height > 0, shown).toBe(true);
      expect(left + width <= picture.width && top + height <= picture.height, shown).toBe(true);
      expect(width / height >= ratios.min && width / height <= ratios.max, shown).toBe(true);
    }
  });
});
