import { arrow, box, column, gradient, page, shape, veil } from "../nodes.ts";
import { setIf, setSmall } from "../parts.ts";
import type { Template } from "../template.ts";
import { isAlone } from "../words.ts";

const SIDE = 88;
const CELL = 54;

/** A drawing board: a grid, crop marks, thin large letters. */
export const blueprint: Template = {
  async draw({ words, palette: { deep }, width, height, set }) {
    const inner = width - 2 * SIDE;
    const mono = { family: "JetBrains Mono", lineHeight: 1.2 } as const;
    const label = await setSmall(
      set,
      words.label,
      { ...mono, color: deep.strong, weight: 500, spacing: 0.04 },
      { width: inner - 60 },
    );
    const text = await setIf(
      set,
      words.text,
      { family: "Geologica", weight: 300, color: deep.soft, lineHeight: 1.38 },
      { width: inner - 44, height: 190, max: 40, min: 28 },
    );
    const action = await setIf(
      set,
      words.action,
      { ...mono, weight: 600, color: deep.stops[0] },
      { width: inner - 180, height: 46, max: 36, min: 22, isTight: true },
    );
    const rest = 60 + (text ? text.height + 56 : 0) + (action ? 96 + 56 : 0);
    const headline = await set(
      words.headline,
      { family: "Geologica", weight: 200, color: deep.text, lineHeight: 1.08, spacing: -0.03 },
      {
        width: inner,
        height: height - 2 * SIDE - rest - 60,
        max: isAlone(words) ? 240 : height > width ? 148 : 128,
        min: 56,
      },
    );
    const lines = (color: string, cell: number, strength: number) => ({
      backgroundImage: `linear-gradient(${color} ${strength}px, ${veil(color.slice(0, 7), 0)} ${strength}px), linear-gradient(90deg, ${color} ${strength}px, ${veil(color.slice(0, 7), 0)} ${strength}px)`,
      backgroundSize: `${cell}px ${cell}px`,
    });
    const mark = (style: object) => shape({ width: 40, height: 40, ...style });
    const stroke = `4px solid ${deep.strong}`;
    return page(
      { ...gradient(deep), padding: SIDE, flexDirection: "column", justifyContent: "space-between" },
      shape({ inset: 0, ...lines(veil("#ffffff", 0.035), CELL / 2, 1) }),
      shape({ inset: 0, ...lines(veil("#ffffff", 0.06), CELL * 2, 2) }),
      shape({
        right: -260,
        top: -260,
        width: 640,
        height: 640,
        borderRadius: 640,
        border: `2px solid ${veil(deep.strong, 0.16)}`,
      }),
      shape({
        right: -160,
        top: -160,
        width: 440,
        height: 440,
        borderRadius: 440,
        border: `2px dashed ${veil(deep.strong, 0.16)}`,
      }),
      mark({ left: 40, top: 40, borderLeft: stroke, borderTop: stroke }),
      mark({ right: 40, top: 40, borderRight: stroke, borderTop: stroke }),
      mark({ left: 40, bottom: 40, borderLeft: stroke, borderBottom: stroke }),
      mark({ right: 40, bottom: 40, borderRight: stroke, borderBottom: stroke }),
      box(
        { alignItems: "center", gap: 22, height: 60 },
        box({ width: 22, height: 22, backgroundColor: deep.strong }),
        label ? label.node : null,
      ),
      column({ flexGrow: 1, justifyContent: "center" }, headline.node),
      text && box({ borderLeft: `6px solid ${deep.strong}`, paddingLeft: 38 }, text.node),
      action &&
        box(
          {
            marginTop: 56,
            height: 96,
            alignSelf: "flex-start",
            alignItems: "center",
            gap: 26,
            paddingLeft: 40,
            paddingRight: 40,
            backgroundColor: deep.strong,
            flexShrink: 0,
          },
          action.node,
          arrow(46, deep.stops[0]),
        ),
    );
  },
};
