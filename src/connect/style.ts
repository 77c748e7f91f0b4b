import { PLATFORM_FACTS } from "../platforms/facts.ts";

/** A ring around each sign: dark ones would be lost on a dark page. */
const PLATFORM_STYLE = Object.entries(PLATFORM_FACTS)
  .map(([name, { color }]) => `.avatar.${name}{background:${color};color:#fff;box-shadow:0 0 0 1px var(--line)}`)
  .join("\n");

/**
 * The style of the hosted pages: one column, large targets, light and dark, nothing loaded from other hosts.
 */
export const CONNECT_STYLE = `
:root{color-scheme:light dark;--paper:#f4f2ee;--card:#fff;--ink:#1d1b22;--soft:#5f5b68;--line:#dedae3;--fill:#f7f5fa;
  --accent:#4338ca;--accent-ink:#fff;--tint:#eeecfb;--bad:#a3282b;--bad-tint:#fdf0ef;--good:#1a6b45;--good-tint:#eaf6ef}
@media (prefers-color-scheme:dark){:root{--paper:#131217;--card:#1e1c24;--ink:#f1eff5;--soft:#aaa5b6;--line:#3a3644;--fill:#26232e;
  --accent:#a5a0ff;--accent-ink:#17142f;--tint:#2b2750;--bad:#ff9d98;--bad-tint:#3a2022;--good:#86d9ae;--good-tint:#17311f}}
*,*::before,*::after{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;min-height:100vh;min-height:100dvh;display:flex;flex-direction:column;background:var(--paper);color:var(--ink);
  font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
h1,h2,p,ul,ol,fieldset{margin:0;padding:0;border:0;min-width:0}
ul{list-style:none}
a{color:var(--accent)}
button,input{font:inherit;color:inherit}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.brand{display:flex;align-items:center;gap:10px;padding:18px 20px;font-weight:700;letter-spacing:-.01em}
.brand svg{width:24px;height:24px;color:var(--accent);flex:none}
.test{padding:6px 20px;background:#fde9b3;color:#6b4300;font-size:14px;font-weight:600;text-align:center}
main{flex:1;display:flex;flex-direction:column;gap:20px;padding:8px 20px 28px;width:100%;max-width:520px;margin:0 auto}
h1{font-size:26px;line-height:1.2;letter-spacing:-.02em;text-wrap:balance;overflow-wrap:anywhere}
.lead{margin-top:10px;color:var(--soft);overflow-wrap:anywhere}
.small{font-size:14px;color:var(--soft)}
.head{display:flex;flex-direction:column;align-items:flex-start}
.mark{display:grid;place-items:center;width:48px;height:48px;border-radius:50%;margin-bottom:16px;font-size:24px;font-weight:700}
.mark.good{background:var(--good-tint);color:var(--good)}
.mark.bad{background:var(--bad-tint);color:var(--bad)}
.mark.calm{background:var(--tint);color:var(--accent)}
.note h2{font-size:16px}
.note ol{margin-top:6px;padding-left:20px}
.note{padding:12px 16px;border-radius:12px;background:var(--tint);overflow-wrap:anywhere}
.note.bad{background:var(--bad-tint);color:var(--bad)}
form{display:flex;flex-direction:column;gap:20px}
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
.avatar{display:grid;place-items:center;width:40px;height:40px;border-radius:12px;flex:none;overflow:hidden;background:var(--fill);
  font-weight:700;font-size:20px;line-height:1;color:var(--soft)}
.avatar.round{border-radius:50%}
.avatar>*{grid-area:1/1}
.avatar img{width:100%;height:100%;object-fit:cover}
.row.off .avatar{opacity:.55}
${PLATFORM_STYLE}
.tick{color:var(--good);font-weight:700;font-size:20px;flex:none}
.actions{display:flex;flex-direction:column;gap:10px}
.button{display:block;width:100%;min-height:52px;padding:12px 20px;border:1px solid var(--line);border-radius:14px;background:var(--card);
  color:var(--ink);font-weight:600;line-height:1.6;text-align:center;text-decoration:none;cursor:pointer}
.button:hover{background:var(--fill)}
.button.first{background:var(--accent);border-color:var(--accent);color:var(--accent-ink)}
.button.first:hover{filter:brightness(1.08)}
.plain{align-self:center;padding:8px 12px;text-align:center;color:var(--soft)}
footer{padding:0 20px 24px;text-align:center}
@media (min-width:640px){
  body{justify-content:flex-start}
  .brand{width:100%;max-width:600px;margin:6vh auto 0;padding:18px 4px}
  main{flex:none;max-width:600px;padding:36px 40px 40px;border-radius:24px;background:var(--card);
    box-shadow:0 1px 2px rgba(20,16,40,.06),0 16px 48px rgba(20,16,40,.10)}
  footer{padding:20px}
}
`;
