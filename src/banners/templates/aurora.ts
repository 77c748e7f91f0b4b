import { box, circle, column, gradient, page, shape, veil } from "../nodes.ts";
import { PILL_HEIGHT, setIf, setPill, setSmall } from "../parts.ts";
import type { Template } from "../template.ts";
import { isAlone } from "../words.ts";

const EDGE = 64;
const INSET = 60;

/** Northern lights behind a card of dark glass. */
export const aurora: Template = {
  async draw({ words, palette: { deep, shapes }, width, height, set }) {
    const inner = width - 2 * EDGE - 2 * INSET;
    const [first, second, third] = shapes;
    const label = await setSmall(set, words.label, { color: deep.strong }, { max: 28, width: inner - 70 });
    const text = await setIf(
      set,
      words.text,
      { family: "Geologica", weight: 300, color: deep.soft, lineHeight: 1.36 },
      { width: inner, height: 210, max: 40, min: 28 },
    );
    const pill = await setPill(set, words.action, {
      color: deep.stops[0],
      ground: { backgroundColor: "#ffffff" },
      maxWidth: inner,
    });
    const rest = (label ? label.height + 30 : 0) + (text ? text.height + 32 : 0) + (pill ? PILL_HEIGHT + 44 : 0);
    const headline = await set(
      words.headline,
      { family: "Geologica", weight: 700, color: deep.text, lineHeight: 1.08, spacing: -0.025 },
      {
        width: inner,
        height: height - 2 * EDGE - 2 * INSET - rest - (height > width ? 330 : 150),
        max: isAlone(words) ? 210 : 112,
        min: 54,
      },
    );
    const glow = ([x, y]: readonly [number, number], radius: number, color: string, opacity: number) =>
      shape({
        left: x - radius,
        top: y - radius,
        width: 2 * radius,
        height: 2 * radius,
        backgroundImage: `radial-gradient(circle, ${veil(color, opacity)}, ${veil(color, opacity * 0.55)} 38%, ${veil(color, 0)} 70%)`,
      });
    return page(
      gradient(deep, 200),
      glow([120, 60], 900, first, 0.95),
      glow([1010, 120], 820, second, 0.9),
      glow([560, 460], 640, third, 0.75),
      glow([1040, height], 700, first, 0.6),
      shape(
        { right: EDGE, top: EDGE, gap: 14 },
        circle(22, { backgroundColor: veil("#ffffff", 0.9) }),
        circle(22, { backgroundColor: veil("#ffffff", 0.5) }),
        circle(22, { backgroundColor: veil("#ffffff", 0.25) }),
      ),
      shape(
        {
          left: EDGE,
          right: EDGE,
          bottom: EDGE,
          padding: INSET,
          borderRadius: 56,
          backgroundColor: veil(deep.stops[0], 0.8),
          border: `2px solid ${veil("#ffffff", 0.22)}`,
          boxShadow: `0 40px 90px ${veil("#000000", 0.35)}`,
          flexDirection: "column",
        },
        column(
          { width: inner },
          label &&
            box(
              { alignItems: "center", gap: 18, marginBottom: 30 },
              box({ width: 52, height: 6, borderRadius: 3, backgroundColor: deep.strong }),
              label.node,
            ),
          headline.node,
          text && box({ marginTop: 32 }, text.node),
          pill && box({ marginTop: 44 }, pill.node),
        ),
      ),
    );
  },
};
