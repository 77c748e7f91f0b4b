import type { Node } from "@takumi-rs/wasm/no-bundler";
import { box, circle, column, gradient, page, shape } from "../nodes.ts";
import { PILL_HEIGHT, setIf, setPill, setSmall } from "../parts.ts";
import type { Template } from "../template.ts";
import { isAlone } from "../words.ts";

const SIDE = 72;

/** Bauhaus: rows of quarter circles, discs and bars above the text. */
export const blocks: Template = {
  async draw({ words, palette: { paper, deep, accent, shapes }, width, height, set }) {
    const inner = width - 2 * SIDE;
    const label = await setSmall(set, words.label, { color: paper.strong }, { max: 28 });
    const text = await setIf(
      set,
      words.text,
      { family: "Geologica", weight: 400, color: paper.soft, lineHeight: 1.32 },
      { width: inner, height: 190, max: 38, min: 28 },
    );
    const pill = await setPill(set, words.action, {
      color: deep.text,
      ground: { backgroundColor: deep.stops[0], borderRadius: 0 },
      maxWidth: inner,
    });
    const rest = (label ? label.height + 24 : 0) + (text ? text.height + 28 : 0) + (pill ? PILL_HEIGHT + 40 : 0);
    const columns = height > width ? 6 : 7;
    const side = width / columns;
    const band = 2 * side;
    const headline = await set(
      words.headline,
      { family: "Geologica", weight: 800, color: paper.text, lineHeight: 1.06, spacing: -0.03 },
      { width: inner, height: height - band - rest - 2 * 64, max: isAlone(words) ? 220 : 120, min: 52 },
    );
    const colours = [shapes[0], deep.stops[0], shapes[1], accent.stops[0], shapes[2], deep.stops[1]];
    const pick = (index: number) => colours[index % colours.length] ?? deep.stops[0];
    const tiles = Array.from({ length: columns * 2 }, (_, index) =>
      tile(index, side, pick(index * 5 + 1), pick(index * 5 + 3)),
    );
    return page(
      { ...gradient(paper), flexDirection: "column" },
      box({ width, height: band, flexWrap: "wrap", flexShrink: 0 }, ...tiles),
      column(
        { flexGrow: 1, paddingLeft: SIDE, paddingRight: SIDE, justifyContent: "center" },
        label && box({ marginBottom: 24 }, label.node),
        headline.node,
        text && box({ marginTop: 28 }, text.node),
        pill && box({ marginTop: 40 }, pill.node),
      ),
    );
  },
};

/** A square of one color with a shape of another, in an order without nearby repeats. */
function tile(index: number, side: number, ground: string, ink: string): Node {
  const place = {
    width: side,
    height: side,
    backgroundColor: ground,
    position: "relative",
    overflow: "hidden",
    flexShrink: 0,
  } as const;
  const corners = [
    { left: 0, top: 0, borderBottomRightRadius: side },
    { right: 0, top: 0, borderBottomLeftRadius: side },
    { right: 0, bottom: 0, borderTopLeftRadius: side },
    { left: 0, bottom: 0, borderTopRightRadius: side },
  ];
  switch ((index * 3) % 5) {
    case 0:
      return box(place, shape({ width: side, height: side, backgroundColor: ink, ...corners[index % 4] }));
    case 1:
      return box(
        { ...place, alignItems: "center", justifyContent: "center" },
        circle(side * 0.62, { backgroundColor: ink }),
      );
    case 2:
      return box(
        place,
        ...[0, 1, 2].map((bar) =>
          shape({ left: 0, top: (side / 6) * (2 * bar), width: side, height: side / 6, backgroundColor: ink }),
        ),
      );
    case 3:
      return box(
        place,
        shape({
          left: 0,
          bottom: 0,
          width: side,
          height: side / 2,
          backgroundColor: ink,
          borderTopLeftRadius: side,
          borderTopRightRadius: side,
        }),
        shape({
          left: 0,
          top: 0,
          width: side,
          height: side / 2,
          backgroundColor: ink,
          borderTopLeftRadius: side,
          borderTopRightRadius: side,
        }),
      );
    default:
      return box(
        place,
        shape({
          inset: 0,
          backgroundColor: ink,
          clipPath: index % 2 ? "polygon(0 0, 100% 0, 0 100%)" : "polygon(100% 0, 100% 100%, 0 100%)",
        }),
      );
  }
}
