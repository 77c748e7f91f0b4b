import { box, gradient, page, shape, veil } from "../nodes.ts";
import { PILL_HEIGHT, setIf, setPill, setSmall } from "../parts.ts";
import type { Template } from "../template.ts";
import { isAlone } from "../words.ts";

const EDGE = 72;
const INSET = 68;
const NOTCH = 38;

/** A ticket with a tear-off stub. */
export const ticket: Template = {
  async draw({ words, palette: { paper, accent, deep }, width, height, set }) {
    const cardWidth = width - 2 * EDGE;
    const cardHeight = height - 2 * EDGE - (height > width ? 60 : 0);
    const inner = cardWidth - 2 * INSET;
    const hasStub = words.text !== null || words.action !== null;
    const label = await setSmall(
      set,
      words.label,
      { color: paper.strong, family: "JetBrains Mono", spacing: 0.06 },
      { max: 30, width: inner - 190 },
    );
    const text = await setIf(
      set,
      words.text,
      { family: "Geologica", weight: 400, color: paper.soft, lineHeight: 1.32 },
      { width: inner, height: 190, max: 37, min: 28 },
    );
    const pill = await setPill(set, words.action, {
      color: accent.text,
      ground: { ...gradient(accent, 100), borderRadius: 20 },
      maxWidth: inner,
    });
    const stub = hasStub ? (text ? text.height : 0) + (pill ? PILL_HEIGHT : 0) + (text && pill ? 36 : 0) + 2 * 58 : 110;
    const main = cardHeight - stub;
    const headline = await set(
      words.headline,
      { family: "Noto Serif Display", weight: 600, color: paper.text, lineHeight: 1.1, spacing: -0.012 },
      {
        width: inner,
        height: main - 2 * 64 - 40 - 44,
        max: isAlone(words) ? 250 : height > width ? 150 : 124,
        min: 58,
      },
    );
    const notch = (x: number) =>
      `radial-gradient(circle at ${x}px ${main}px, transparent ${NOTCH}px, black ${NOTCH + 1}px)`;
    const half = { top: 0, width: cardWidth / 2, height: cardHeight, backgroundColor: paper.stops[0] } as const;
    return page(
      gradient(deep),
      shape({
        inset: 0,
        backgroundImage: `repeating-linear-gradient(135deg, ${veil("#ffffff", 0.06)} 0px 26px, ${veil("#ffffff", 0)} 26px 52px)`,
      }),
      shape(
        { left: EDGE, top: (height - cardHeight) / 2, width: cardWidth, height: cardHeight },
        // One pixel over the other half: without it, a mirrored image has a seam.
        shape({
          ...half,
          width: half.width + 1,
          left: 0,
          borderTopLeftRadius: 36,
          borderBottomLeftRadius: 36,
          maskImage: notch(0),
        }),
        shape({
          ...half,
          right: 0,
          borderTopRightRadius: 36,
          borderBottomRightRadius: 36,
          maskImage: notch(cardWidth / 2),
        }),
        shape({
          left: NOTCH + 20,
          right: NOTCH + 20,
          top: main - 2,
          borderTop: `4px dashed ${veil(paper.text, 0.35)}`,
        }),
        shape(
          {
            left: INSET,
            top: 0,
            width: inner,
            height: main,
            flexDirection: "column",
            justifyContent: "space-between",
            paddingTop: 64,
            paddingBottom: 64,
          },
          box(
            { height: 40, justifyContent: "space-between", alignItems: "center", width: inner },
            label ? label.node : box({ width: 90, height: 8, backgroundColor: paper.strong }),
            barcode(paper.text),
          ),
          headline.node,
        ),
        shape(
          {
            left: INSET,
            top: main,
            width: inner,
            height: stub,
            flexDirection: "column",
            justifyContent: "center",
            gap: 36,
          },
          text ? text.node : null,
          pill ? pill.node : null,
          hasStub
            ? null
            : box(
                { gap: 14 },
                ...[1, 0.6, 0.3].map((opacity) =>
                  box({ width: 60, height: 8, backgroundColor: veil(paper.strong, opacity) }),
                ),
              ),
        ),
      ),
    );
  },
};

const BARS = [5, 3, 8, 3, 5, 10, 3, 5, 3, 8, 5, 3, 10, 3];

const barcode = (color: string) =>
  box(
    { height: 40, gap: 5, flexShrink: 0 },
    ...BARS.map((width) => box({ width, height: 40, backgroundColor: color })),
  );
