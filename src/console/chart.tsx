interface Chart {
  /** Names the values; read by screen readers, which find them in the table beside the chart. */
  readonly title: string;
  /** One value a step, the oldest first. */
  readonly values: readonly number[];
  /** The first and the last step, under the line. */
  readonly ends: readonly [string, string];
  /** The largest value, beside the line. */
  readonly most: string;
}

const WIDTH = 600;
const HEIGHT = 120;
/** Half of the line's width stays inside the drawing. */
const EDGE = 2;

/** A line of values that is drawn on the server. It repeats a table: screen readers skip the drawing. */
export function Chart({ title, values, ends, most }: Chart) {
  const highest = Math.max(1, ...values);
  const step = WIDTH / Math.max(1, values.length - 1);
  // A single value is a level line.
  const drawn = values.length === 1 ? [...values, ...values] : values;
  const points = drawn.map((value, index) => {
    const y = HEIGHT - EDGE - (value / highest) * (HEIGHT - 2 * EDGE);
    return `${Math.round(values.length === 1 ? index * WIDTH : index * step)},${y.toFixed(1)}`;
  });
  return (
    <figure class="chart">
      <figcaption class="line">
        <span>{title}</span>
        <b>{most}</b>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        <polygon class="below" points={`0,${HEIGHT} ${points.join(" ")} ${WIDTH},${HEIGHT}`} />
        <polyline points={points.join(" ")} vector-effect="non-scaling-stroke" />
      </svg>
      <p class="line about">
        <span>{ends[0]}</span>
        <span>{ends[1]}</span>
      </p>
    </figure>
  );
}

/** Rules that only pages with a chart need. */
export const CHART_STYLE = `
.charts{display:grid;gap:24px;grid-template-columns:repeat(auto-fit,minmax(min(100%,300px),1fr))}
.chart{margin:0;display:flex;flex-direction:column;gap:8px}
.chart svg{display:block;width:100%;height:120px;border-bottom:1px solid var(--line)}
.chart polyline{fill:none;stroke:var(--accent);stroke-width:2.5}
.chart .below{fill:var(--tint)}
`;
