import { arrow, box, circle, column, gradient, page } from "../nodes.ts";
import { setIf, setSmall } from "../parts.ts";
import type { Template } from "../template.ts";
import { isAlone } from "../words.ts";

const SIDE = 76;

/** Swiss style: huge narrow letters on color, a dark band at the bottom. */
export const poster: Template = {
  async draw({ words, palette: { accent, deep }, width, height, set }) {
    const inner = width - 2 * SIDE;
    const label = await setSmall(set, words.label, { color: accent.text });
    const hasFoot = words.text !== null || words.action !== null;
    const setAction = (width: number) =>
      setIf(
        set,
        words.action,
        { family: "Geologica", weight: 700, color: deep.strong, lineHeight: 1.15 },
        { width, height: 104, max: 44, min: 36, isTight: true },
      );
    const aside = await setAction(words.text === null ? inner - 130 : 320);
    const setText = (width: number) =>
      setIf(
        set,
        words.text,
        { family: "Geologica", weight: 400, color: deep.text, lineHeight: 1.28 },
        { width, height: 170, max: 40, min: 30 },
      );
    // Beside the call to action, if it is readable there.
    const narrow = await setText(inner - (aside ? aside.width + 60 + 84 + 24 : 0));
    const isStacked = narrow !== null && narrow.size < 32;
    const text = isStacked ? await setText(inner) : narrow;
    const action = isStacked ? await setAction(inner - 130) : aside;
    const heights = [text?.height ?? 0, action ? Math.max(action.height, 84) : 0] as const;
    const contentHeight = isStacked ? heights[0] + 30 + heights[1] : Math.max(...heights);
    const footHeight = hasFoot ? contentHeight + 104 : 0;
    const headHeight = 156;
    const headline = await set(
      words.headline,
      { family: "Sofia Sans Extra Condensed", weight: 800, color: accent.text, lineHeight: 0.98, spacing: -0.005 },
      {
        width: inner,
        height: height - headHeight - footHeight - 84,
        max: isAlone(words) ? 560 : height > width ? 350 : 310,
        min: 92,
      },
    );
    return page(
      { ...gradient(accent), flexDirection: "column" },
      column(
        { height: headHeight, paddingLeft: SIDE, paddingRight: SIDE, justifyContent: "flex-end", flexShrink: 0 },
        box(
          { justifyContent: "space-between", alignItems: "center", paddingBottom: 22, width: inner },
          label ? label.node : box({}),
          box(
            { gap: 12 },
            circle(26, { backgroundColor: accent.text }),
            circle(26, { border: `5px solid ${accent.text}` }),
            circle(26, { backgroundColor: accent.text }),
          ),
        ),
        box({ height: 8, width: inner, backgroundColor: accent.text }),
      ),
      column({ flexGrow: 1, paddingLeft: SIDE, paddingTop: 40, justifyContent: "flex-start" }, headline.node),
      hasFoot
        ? box(
            {
              ...gradient(deep, 100),
              height: footHeight,
              width,
              paddingLeft: SIDE,
              paddingRight: SIDE,
              flexDirection: isStacked ? "column" : "row",
              alignItems: isStacked ? "stretch" : "center",
              justifyContent: isStacked ? "center" : "space-between",
              gap: 30,
              flexShrink: 0,
            },
            text ? text.node : null,
            action
              ? box(
                  { alignItems: "center", justifyContent: "space-between", gap: 24, flexShrink: 0 },
                  action.node,
                  circle(
                    84,
                    { backgroundColor: deep.strong, alignItems: "center", justifyContent: "center" },
                    arrow(44, deep.stops[0]),
                  ),
                )
              : null,
          )
        : null,
    );
  },
};
