import { box, circle, column, page, shape, veil } from "../nodes.ts";
import { setIf, setPill, setSmall } from "../parts.ts";
import type { Template } from "../template.ts";
import { isAlone } from "../words.ts";

const DISC = 920;

/** Rays behind a big seal. */
export const sunburst: Template = {
  async draw({ words, palette: { paper, accent, deep }, width, height, set }) {
    const [light, dark] = accent.stops;
    const label = await setSmall(set, words.label, { color: paper.strong }, { width: 400, max: 28 });
    const text = await setIf(
      set,
      words.text,
      { family: "Geologica", weight: 400, color: paper.soft, lineHeight: 1.3, align: "center" },
      { width: 600, height: 190, max: 36, min: 27, isTight: true },
    );
    const pill = await setPill(set, words.action, {
      color: deep.text,
      ground: { backgroundColor: deep.stops[0] },
      hasArrow: false,
      maxWidth: 620,
    });
    const rest = (label ? label.height + 22 : 0) + (text ? text.height + 26 : 0);
    const headline = await set(
      words.headline,
      { family: "Sofia Sans Extra Condensed", weight: 800, color: paper.text, lineHeight: 1, align: "center" },
      { width: 660, height: 620 - rest, max: isAlone(words) ? 300 : 190, min: 72, isTight: true },
    );
    const top = (height - DISC) / 2 - (pill && height === width ? 14 : 0);
    const left = (width - DISC) / 2;
    const center = top + DISC / 2;
    return page(
      { backgroundColor: dark, alignItems: "center", justifyContent: "center" },
      shape({
        inset: 0,
        backgroundImage: `repeating-conic-gradient(from 4deg at 50% ${center}px, ${dark} 0deg 9deg, ${veil(deep.stops[1], 0.24)} 9deg 18deg)`,
      }),
      shape({
        inset: 0,
        backgroundImage: `radial-gradient(circle at 50% ${center}px, ${veil(light, 0.9)} 36%, ${veil(light, 0)} 74%)`,
      }),
      shape(
        { left, top },
        circle(DISC, { backgroundColor: deep.stops[0], boxShadow: `0 24px 70px ${veil("#000000", 0.28)}` }),
      ),
      shape({ left: left + 18, top: top + 18 }, circle(DISC - 36, { backgroundColor: paper.stops[0] })),
      shape(
        { left: left + 40, top: top + 40 },
        circle(DISC - 80, { border: `4px dashed ${veil(paper.strong, 0.55)}` }),
      ),
      shape(
        { left, top, width: DISC, height: DISC - (pill ? 40 : 0), alignItems: "center", justifyContent: "center" },
        column(
          { alignItems: "center", width: 660 },
          label && box({ marginBottom: 22 }, label.node),
          headline.node,
          text && box({ marginTop: 26 }, text.node),
        ),
      ),
      pill &&
        shape(
          {
            left: (width - pill.width) / 2 - 10,
            top: top + DISC - 88,
            padding: 10,
            borderRadius: 80,
            backgroundColor: paper.stops[0],
          },
          pill.node,
        ),
    );
  },
};
