import { box, column, gradient, page, shape } from "../nodes.ts";
import { setIf, setSmall } from "../parts.ts";
import type { Template } from "../template.ts";
import { isAlone } from "../words.ts";

const FRAME = 48;
const INNER = 760;

/** A magazine page: serif text in the middle of a fine double frame. */
export const editorial: Template = {
  async draw({ words, palette: { paper }, height, set }) {
    const label = await setSmall(
      set,
      words.label,
      { color: paper.strong, spacing: 0.22, weight: 500 },
      { width: 560, max: 27 },
    );
    const text = await setIf(
      set,
      words.text,
      { family: "Geologica", weight: 300, color: paper.soft, lineHeight: 1.4, align: "center" },
      { width: INNER - 60, height: 210, max: 38, min: 28, isTight: true },
    );
    const action = await setIf(
      set,
      words.action,
      { family: "Geologica", weight: 500, color: paper.strong, lineHeight: 1.2 },
      { width: 620, height: 48, max: 36, min: 24, isTight: true },
    );
    const rest =
      (label ? label.height + 36 : 0) + 110 + (text ? text.height + 44 : 0) + (action ? action.height + 64 : 0);
    const headline = await set(
      words.headline,
      {
        family: "Noto Serif Display",
        weight: 600,
        color: paper.text,
        lineHeight: 1.12,
        spacing: -0.01,
        align: "center",
      },
      {
        width: INNER,
        height: height - 2 * FRAME - 150 - rest,
        max: isAlone(words) ? 190 : 132,
        min: 60,
        isTight: true,
      },
    );
    const line = (style: object) => box({ height: 2, width: 96, backgroundColor: paper.strong, ...style });
    const diamond = (side: number) =>
      box({ width: side, height: side, backgroundColor: paper.strong, transform: "rotate(45deg)" });
    return page(
      { ...gradient(paper), alignItems: "center", justifyContent: "center" },
      shape({ inset: FRAME, border: `3px solid ${paper.text}` }),
      shape({ inset: FRAME + 14, border: `1px solid ${paper.text}` }),
      column(
        { alignItems: "center", width: INNER },
        label && box({ marginBottom: 36 }, label.node),
        headline.node,
        box(
          { alignItems: "center", gap: 20, marginTop: 48, marginBottom: 48, height: 14 },
          line({}),
          diamond(10),
          diamond(14),
          diamond(10),
          line({}),
        ),
        text ? text.node : null,
        action
          ? box({ marginTop: text ? 44 : 0, paddingBottom: 12, borderBottom: `3px solid ${paper.strong}` }, action.node)
          : null,
      ),
    );
  },
};
