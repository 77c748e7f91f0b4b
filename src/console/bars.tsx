interface Bar {
  readonly title: string;
  /** Decides the length. */
  readonly value: number;
  /** What the reader sees. */
  readonly text: string;
}

/** Bars with their names and values; the bars are drawn on the server and only repeat the values. */
export function Bars({ label, bars }: { readonly label: string; readonly bars: readonly Bar[] }) {
  const most = Math.max(...bars.map(({ value }) => value));
  return (
    <ul class="bars" aria-label={label}>
      {bars.map(({ title, value, text }) => (
        <li>
          <span>{title}</span>
          <b>{text}</b>
          <BarDrawing share={most > 0 ? value / most : 0} />
        </li>
      ))}
    </ul>
  );
}

/** How much of a limit is used; from four fifths on in another colour. */
export function Gauge({ share }: { readonly share: number }) {
  return <BarDrawing share={share} kind={share >= 1 ? "full" : share >= NEAR ? "near" : undefined} />;
}

const NEAR = 0.8;
const WIDTH = 400;

function BarDrawing({ share, kind }: { readonly share: number; readonly kind?: string | undefined }) {
  return (
    <svg class="drawn" viewBox={`0 0 ${WIDTH} 8`} preserveAspectRatio="none" aria-hidden="true">
      <rect class="track" width={WIDTH} height="8" />
      <rect class={kind} width={Math.round(Math.min(1, Math.max(0, share)) * WIDTH)} height="8" />
    </svg>
  );
}
