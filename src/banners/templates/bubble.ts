import { arrow, box, circle, column, gradient, page, shape, veil } from "../nodes.ts";
import { setIf, setSmall } from "../parts.ts";
import type { Template } from "../template.ts";
import { isAlone } from "../words.ts";

const SIDE = 76;

/** A chat: the headline and the text are messages, the call to action is in the input field below. */
export const bubble: Template = {
  async draw({ words, palette: { paper, accent, deep, shapes }, width, height, set }) {
    const label = await setSmall(set, words.label, { color: deep.text }, { width: 640, max: 28 });
    const textInner = 640;
    const text = await setIf(
      set,
      words.text,
      { family: "Geologica", weight: 500, color: accent.text, lineHeight: 1.3 },
      { width: textInner, height: 190, max: 38, min: 28, isTight: true },
    );
    const action = await setIf(
      set,
      words.action,
      { family: "Geologica", weight: 500, color: deep.text, lineHeight: 1.2 },
      { width: width - 2 * SIDE - 200, height: 50, max: 38, min: 26, isTight: true },
    );
    const inner = width - 2 * SIDE - 60 - 2 * 60;
    const rest = 80 + 30 + (text ? text.height + 88 + 36 : 0) + (action ? 112 + 56 : 0);
    const headline = await set(
      words.headline,
      { family: "Geologica", weight: 700, color: paper.text, lineHeight: 1.12, spacing: -0.02 },
      {
        width: inner,
        height: height - 2 * SIDE - rest - 2 * 56,
        max: isAlone(words) ? 200 : height > width ? 124 : 108,
        min: 50,
        isTight: true,
      },
    );
    return page(
      { ...gradient(deep), padding: SIDE, flexDirection: "column", justifyContent: "space-between" },
      shape({
        inset: 0,
        backgroundImage: `radial-gradient(${veil("#ffffff", 0.09)} 4px, ${veil("#ffffff", 0)} 5px)`,
        backgroundSize: "44px 44px",
      }),
      box(
        { alignItems: "center", gap: 24, height: 80, position: "relative" },
        circle(
          80,
          { backgroundColor: shapes[0], alignItems: "center", justifyContent: "center", gap: 14 },
          circle(12, { backgroundColor: deep.stops[0] }),
          circle(12, { backgroundColor: deep.stops[0] }),
        ),
        label
          ? label.node
          : box(
              { gap: 12 },
              ...[0.9, 0.6, 0.3].map((opacity) => circle(16, { backgroundColor: veil("#ffffff", opacity) })),
            ),
      ),
      column(
        { flexGrow: 1, justifyContent: "center", gap: 36, paddingTop: 30 },
        box(
          {
            position: "relative",
            alignSelf: "flex-start",
            padding: "56px 60px",
            backgroundColor: paper.stops[0],
            borderRadius: 56,
            borderTopLeftRadius: 10,
            boxShadow: `0 24px 60px ${veil("#000000", 0.25)}`,
          },
          headline.node,
        ),
        text &&
          box(
            {
              alignSelf: "flex-end",
              padding: "44px 50px",
              ...gradient(accent),
              borderRadius: 48,
              borderBottomRightRadius: 10,
              boxShadow: `0 18px 44px ${veil("#000000", 0.22)}`,
            },
            text.node,
          ),
      ),
      action &&
        box(
          {
            marginTop: 56,
            height: 112,
            borderRadius: 56,
            border: `3px solid ${veil("#ffffff", 0.45)}`,
            alignItems: "center",
            justifyContent: "space-between",
            paddingLeft: 48,
            paddingRight: 14,
            backgroundColor: deep.stops[0],
            flexShrink: 0,
          },
          action.node,
          circle(84, { ...gradient(accent), alignItems: "center", justifyContent: "center" }, arrow(42, accent.text)),
        ),
    );
  },
};
