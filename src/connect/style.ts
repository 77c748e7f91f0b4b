import { BADGE_STYLE } from "../pages/platform-badge.tsx";

/** The hosted pages beside the shared style: one column, large targets. */
export const CONNECT_STYLE = `${BADGE_STYLE}
main{flex:1;display:flex;flex-direction:column;gap:20px;padding:8px 20px 28px;width:100%;max-width:520px;margin:0 auto}
form{display:flex;flex-direction:column;gap:20px}
.field{display:flex;flex-direction:column;gap:6px;font-weight:600}
.field input{min-height:48px;padding:9px 12px;border:1px solid var(--soft);border-radius:10px;background:var(--card);font-weight:400}
.field [aria-invalid=true]{border-color:var(--bad);border-width:2px}
.list{border:1px solid var(--line);border-radius:16px;overflow:hidden;background:var(--card)}
legend{float:left;width:100%;padding:0 0 10px;font-weight:600}
.rows{clear:both;border:1px solid var(--line);border-radius:16px;overflow:hidden;background:var(--card)}
.row{display:flex;align-items:center;gap:14px;min-height:64px;padding:10px 16px}
.row+.row{border-top:1px solid var(--line)}
.row.further{padding-left:70px;min-height:56px;border-top:0}
.row.further .name{font-weight:500}
label.row{cursor:pointer}
label.row:hover{background:var(--fill)}
label.row:has(:checked){background:var(--tint)}
label.row:has(:focus-visible){outline:3px solid var(--accent);outline-offset:-3px}
.row.off{color:var(--soft)}
label.row.off{cursor:default}
label.row.off:hover{background:none}
.row input{appearance:none;display:grid;place-items:center;width:24px;height:24px;margin:0;flex:none;border:2px solid var(--ink);
  border-radius:6px;background:var(--card)}
.row input:checked{border-color:var(--accent);background:var(--accent)}
.row input:checked::before{content:"";width:14px;height:14px;background:var(--accent-ink);
  clip-path:polygon(14% 44%,0 58%,40% 96%,100% 22%,85% 8%,38% 66%)}
.row input:disabled{border:1px dashed var(--soft);background:none}
@media (forced-colors:active){.row input{appearance:auto}.row input::before{display:none}}
.row input:focus-visible{outline:none}
.what{flex:1;min-width:0;display:flex;flex-direction:column}
.name{font-weight:600;overflow-wrap:anywhere}
.about{font-size:14px;color:var(--soft);overflow-wrap:anywhere}
.avatar.round{border-radius:50%}
.avatar>*{grid-area:1/1}
.avatar img{width:100%;height:100%;object-fit:cover}
.row.off .avatar{opacity:.55}
.tick{color:var(--good);font-weight:700;font-size:20px;flex:none}
footer{padding:0 20px 24px;text-align:center}
@media (min-width:640px){
  body{justify-content:flex-start}
  .brand{width:100%;max-width:600px;margin:6vh auto 0;padding:18px 4px}
  main{flex:none;max-width:600px;padding:36px 40px 40px;border-radius:24px;background:var(--card);
    box-shadow:0 1px 2px rgba(20,16,40,.06),0 16px 48px rgba(20,16,40,.10)}
  footer{padding:20px}
}
`;
