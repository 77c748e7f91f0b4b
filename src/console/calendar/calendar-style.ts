/** The style of the calendar: seven columns, below 900 px one. */
export const CALENDAR_STYLE = `
.chooser{display:flex;flex-wrap:wrap;align-items:center;gap:12px 24px}
.chooser h2{flex:1 1 180px}
.chooser [aria-current]{background:var(--tint);color:var(--accent);border-color:var(--accent)}
.days{list-style:none;display:grid;gap:8px}
.day{display:flex;flex-direction:column;gap:8px;min-width:0;padding:10px;border:1px solid var(--line);border-radius:var(--radius);background:var(--card)}
.day h3{display:flex;align-items:baseline;gap:6px;margin:0;font-size:14px;font-weight:500;color:var(--soft)}
.day .add{margin-left:auto;display:grid;place-items:center;width:28px;height:28px;border-radius:8px;text-decoration:none;font-size:18px}
.day .add:hover{background:var(--fill)}
.day.today{border-color:var(--accent)}
.day.today time{color:var(--accent);font-weight:700}
.day.other{background:none;border-style:dashed}
.chip{display:flex;flex-direction:column;gap:4px;padding:8px;border-radius:8px;background:var(--fill);border-left:3px solid var(--accent);font-size:14px;min-width:0}
.chip.queued{border-left-color:var(--warn)}
.chip.published{border-left-color:var(--good)}
.chip[data-movable]{cursor:grab;user-select:none;-webkit-touch-callout:none}
.chip.moved{opacity:.4}
.chip.ghost{position:fixed;top:0;left:0;z-index:9;pointer-events:none;cursor:grabbing;box-shadow:0 12px 32px rgba(20,16,40,.3)}
.day.target{outline:3px solid var(--accent);outline-offset:-3px}
.chip .avatar{width:20px;height:20px;border-radius:6px;font-size:11px}
.chip .facts{align-items:center;gap:6px}
.chip .text{color:inherit;text-decoration:none;display:-webkit-box;-webkit-line-clamp:3;-webkit-box-orient:vertical;overflow:hidden}
.chip form{gap:8px;padding-top:8px}
.chip label{display:flex;flex-direction:column;gap:2px}
.chip input{min-height:40px;width:100%;padding:4px 8px;border:1px solid var(--soft);border-radius:8px;background:var(--card)}
@media (min-width:900px){.days.month,.days.week{grid-template-columns:repeat(7,minmax(0,1fr))}.days.month .day{min-height:112px}.days.week .day{min-height:260px}
  main:has(.days){max-width:1280px}}
@media (max-width:899px){.days.month .none{display:none}}
.days.list .none{display:none}
.days.moving .none{display:flex}
`;
