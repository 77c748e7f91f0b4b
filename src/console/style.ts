import { BADGE_STYLE } from "../pages/platform-badge.tsx";

/** Parts of forms that appear with a choice (`Choice`, `shows`). */
const PARTS = ["custom", "days", "date", "posts", "campaigns", "keywords", "delayed", "yes"];

/** The console beside the shared style: a menu at the side, below 900 px a bar on top. */
export const CONSOLE_STYLE = `${BADGE_STYLE}
:root{--paper:#f6f5f8;--side:#fbfafc;--radius:12px;--warn:#7a4a00;--warn-tint:#fdf1d6}
@media (prefers-color-scheme:dark){:root{--paper:#131217;--side:#18161d;--warn:#f5c86b;--warn-tint:#3a2d12}}
body{font-size:15px}
h1{font-size:24px}
h2{font-size:17px;line-height:1.3;letter-spacing:-.01em}
h3{font-size:15px}
button{cursor:pointer}
select,textarea{font:inherit;color:inherit}
.icon{width:20px;height:20px;flex:none}
.skip{position:absolute;left:-9999px}
.skip:focus{left:12px;top:12px;z-index:9;padding:8px 12px;background:var(--card);border-radius:8px}
pre{white-space:pre-wrap;overflow-wrap:anywhere}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.shell{flex:1;display:flex;flex-direction:column;min-width:0}
.bar{display:flex;align-items:center;gap:8px;padding:10px 16px;border-bottom:1px solid var(--line);background:var(--side)}
.bar .brand{padding:0;color:inherit;text-decoration:none}
.bar>summary,.menu>summary{list-style:none}
summary{cursor:pointer}
summary::-webkit-details-marker{display:none}
.menu{margin-left:auto}
.menu>summary{display:flex;align-items:center;gap:8px;min-height:44px;padding:0 12px;border:1px solid var(--line);border-radius:10px;background:var(--card)}
.menu[open]>.side{position:absolute;left:0;right:0;z-index:5;border-bottom:1px solid var(--line);box-shadow:0 16px 32px rgba(20,16,40,.16)}
.side{display:flex;flex-direction:column;gap:4px;padding:12px;background:var(--side)}
.side hr{width:100%;border:0;border-top:1px solid var(--line);margin:8px 0}
.side a,.side button{display:flex;align-items:center;gap:12px;width:100%;min-height:44px;padding:8px 12px;border:0;border-radius:10px;background:none;
  color:inherit;text-decoration:none;text-align:left;overflow-wrap:anywhere}
.side a:hover,.side button:hover,.switch summary:hover{background:var(--fill)}
.side a[aria-current=page]{background:var(--tint);color:var(--accent);font-weight:600}
.side .email{padding:4px 12px;font-size:13px;color:var(--soft);overflow-wrap:anywhere}
.switch{border:1px solid var(--line);border-radius:var(--radius);background:var(--card);margin-bottom:8px}
.switch summary{display:flex;align-items:center;gap:10px;min-height:48px;padding:8px 12px;border-radius:var(--radius);font-weight:600}
.switch summary .what{flex:1;overflow-wrap:anywhere}
.switch ul{padding:4px;border-top:1px solid var(--line);max-height:280px;overflow:auto}
.switch .what{flex:1;min-width:0}
.kind{flex:none;padding:2px 8px;border-radius:99px;background:var(--good-tint);color:var(--good);font-size:12px;font-weight:600;line-height:1.5}
.kind.test{background:#fde9b3;color:#6b4300}
.kind.off{background:var(--fill);color:var(--soft)}
.kind.warn{background:var(--warn-tint);color:var(--warn)}
.kind.bad{background:var(--bad-tint);color:var(--bad)}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:14px}
th,td{padding:12px 20px;text-align:left;vertical-align:top;overflow-wrap:anywhere}
thead th{padding-block:10px;color:var(--soft);font-weight:500;white-space:nowrap}
tbody th{font-weight:600;min-width:140px}
tbody tr{border-top:1px solid var(--line)}
.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.pairs{display:grid;gap:12px 24px;grid-template-columns:repeat(auto-fill,minmax(min(100%,200px),1fr));margin:0}
.pairs dt{font-size:14px;color:var(--soft)}
.pairs dd{margin:2px 0 0;font-weight:500;overflow-wrap:anywhere}
.bars{display:flex;flex-direction:column;gap:14px}
.bars li{display:flex;flex-wrap:wrap;justify-content:space-between;gap:4px 16px;overflow-wrap:anywhere}
svg.drawn{display:block;width:100%;height:8px;border-radius:4px;fill:var(--accent)}
svg.drawn .track{fill:var(--line)}
svg.drawn .near{fill:var(--warn)}
svg.drawn .full{fill:var(--bad)}
.stack{display:flex;flex-direction:column;gap:12px}
.tabs{display:flex;flex-wrap:wrap;gap:4px}
.tabs a{padding:6px 14px;border-radius:99px;color:var(--soft);text-decoration:none}
.tabs a:hover{background:var(--fill)}
.tabs a[aria-current]{background:var(--tint);color:var(--accent);font-weight:600}
.fold+.fold{border-top:1px solid var(--line)}
.fold summary{display:flex;align-items:center;gap:16px;padding:14px 20px}
.fold summary:hover{background:var(--fill)}
.fold .what{flex:1;min-width:0;display:flex;flex-direction:column}
.inside{display:flex;flex-direction:column;gap:16px;padding:4px 20px 20px}
.inside pre{max-height:320px;overflow:auto}
.inside .label{flex-wrap:wrap}
summary>h2{display:inline}
details[open]>summary:has(h2){margin-bottom:20px}
.figure{font-size:28px;letter-spacing:-.02em}
.said{padding:8px 12px;margin:6px 0;border-left:3px solid var(--accent);background:var(--fill);border-radius:0 8px 8px 0;overflow-wrap:anywhere}
.preview{display:block;width:100%;border-radius:12px;border:1px solid var(--line)}
.above{margin-bottom:12px}
.items>li .name:is(a){color:inherit;text-decoration-color:var(--line);text-underline-offset:3px}
.warning{color:var(--warn)}
main{flex:1;width:100%;max-width:1000px;margin:0 auto;padding:24px 16px 64px;display:flex;flex-direction:column;gap:24px;min-width:0}
.top{display:flex;flex-wrap:wrap;align-items:flex-start;justify-content:space-between;gap:16px}
.top .head{flex:1 1 300px}
.lead{margin-top:6px;max-width:65ch}
.card{display:flex;flex-direction:column;gap:20px;padding:20px;border:1px solid var(--line);border-radius:16px;background:var(--card)}
.card.flush{padding:0;gap:0;overflow:hidden}
.card.bad{border-color:var(--bad)}
.empty{align-items:flex-start;padding:32px 24px}
.empty form{width:100%}
.empty .icon{width:32px;height:32px;color:var(--accent)}
form{display:flex;flex-direction:column;gap:20px}
form.inline{display:inline-flex;flex-flow:row wrap;gap:8px}
.field{display:flex;flex-direction:column;gap:6px;min-width:0}
.field>label,legend,.label{font-weight:600;padding:0}
.field input,.field select,.field textarea{width:100%;max-width:440px;min-height:44px;padding:9px 12px;border:1px solid var(--soft);border-radius:10px;background:var(--card)}
.field textarea{max-width:640px;min-height:96px;resize:vertical}
.field .choices{margin-top:4px}
.field input:focus-visible,.field select:focus-visible{outline-offset:0}
.field [aria-invalid=true]{border-color:var(--bad);border-width:2px}
.hint{font-size:14px;color:var(--soft)}
.error{font-size:14px;color:var(--bad);font-weight:600}
.code input{max-width:220px;font-size:24px;letter-spacing:.3em;font-variant-numeric:tabular-nums}
.choices{display:grid;gap:10px;grid-template-columns:repeat(auto-fill,minmax(min(100%,240px),1fr));margin-top:10px}
.choice{display:flex;gap:12px;align-items:flex-start;padding:12px 14px;border:1px solid var(--line);border-radius:var(--radius);cursor:pointer}
.choice:hover{background:var(--fill)}
.choice:has(:checked){border-color:var(--accent);background:var(--tint)}
.choice input{width:18px;height:18px;min-height:0;margin:2px 0 0;flex:none;accent-color:var(--accent)}
.choice .what{display:flex;flex-direction:column}
.choice.small{padding:8px 12px;color:inherit}
.name{font-weight:600;overflow-wrap:anywhere}
.about{font-size:14px;color:var(--soft);overflow-wrap:anywhere}
${PARTS.map((part) => `form:not(:has([data-shows=${part}]:checked)) .only.${part}`).join(",")}{display:none}
.group{display:flex;flex-direction:column;gap:20px}
.button{display:inline-flex;align-items:center;justify-content:center;gap:8px;width:auto;min-height:44px;padding:8px 18px;border-radius:10px}
.button.small{min-height:36px;padding:4px 12px;font-size:14px}
.button.bad{color:var(--bad)}
.button.bad.first{background:var(--bad);border-color:var(--bad);color:var(--card)}
.buttons{display:flex;flex-wrap:wrap;gap:10px;align-items:center}
.wide{display:flex}
.items>li{display:flex;flex-wrap:wrap;align-items:center;gap:8px 16px;padding:14px 20px}
.items>li+li{border-top:1px solid var(--line)}
.items .what{flex:1 1 220px;min-width:0;display:flex;flex-direction:column}
.items+.foot{border-top:1px solid var(--line)}
.foot{display:flex;flex-direction:column;gap:12px;padding:16px 20px}
.rename[open]{order:9;flex-basis:100%}
.rename[open]>summary{display:none}
form.inline input{min-height:36px;min-width:0;flex:1;padding:4px 10px;border:1px solid var(--soft);border-radius:10px;background:var(--card)}
.or{display:flex;align-items:center;gap:12px;color:var(--soft);font-size:14px}
.or::before,.or::after{content:"";flex:1;border-top:1px solid var(--line)}
.row{display:flex;flex-wrap:wrap;align-items:flex-end;gap:12px 16px}
.row .field{flex:0 1 200px}
.filters{gap:12px}
.filters summary{color:var(--soft);padding:4px 0}
.field select{max-width:100%}
.caption{white-space:pre-wrap;overflow-wrap:anywhere}
.files,.siblings{display:flex;flex-direction:column;gap:8px}
.files li{display:flex;flex-direction:column;overflow-wrap:anywhere}
.timeline{display:flex;flex-direction:column;gap:16px;list-style:none}
.timeline li{display:flex;flex-direction:column;gap:2px;padding-left:16px;border-left:2px solid var(--line);overflow-wrap:anywhere}
.timeline .fitted-copy{max-width:240px;max-height:240px;margin-top:8px;border-radius:10px}
.timeline pre{margin:8px 0 0;padding:12px 14px;border-radius:10px;background:var(--fill)}
.needs{display:flex;flex-direction:column;gap:12px}
.items>.need{align-items:flex-start}
.need .what{gap:6px}
.need .buttons{margin-top:6px}
.line{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:4px 12px}
.facts{display:flex;flex-wrap:wrap;gap:2px 16px;font-size:14px;color:var(--soft)}
.facts b{font-weight:500;color:var(--ink)}
.links a{color:inherit;text-decoration:none}
.links li:hover{background:var(--fill)}
form.inline select{min-height:36px;padding:4px 8px;border:1px solid var(--line);border-radius:10px;background:var(--card)}
.past summary{padding:4px 0 12px;color:var(--soft)}
code,.mono{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:14px}
.secret{display:flex;flex-direction:column;gap:6px}
.secret pre{margin:0;padding:12px 14px;border:1px solid var(--line);border-radius:10px;background:var(--fill);user-select:all}
.secret .label{display:flex;align-items:center;justify-content:space-between;gap:8px}
.note.good{background:var(--good-tint);color:var(--good)}
[popover]{width:min(440px,calc(100vw - 32px));padding:24px;border:1px solid var(--line);border-radius:16px;background:var(--card);color:inherit;
  box-shadow:0 24px 64px rgba(20,16,40,.28);margin:auto}
[popover]::backdrop{background:rgba(20,16,40,.45)}
[popover]>div{display:flex;flex-direction:column;gap:16px}
[hidden]{display:none!important}
.gate{flex:1;display:flex;flex-direction:column;width:100%;max-width:460px;margin:0 auto;padding:6vh 16px 48px}
.gate .brand{padding:0 4px 20px}
.gate main{flex:none;padding:28px 24px;border:1px solid var(--line);border-radius:20px;background:var(--card)}
.gate .button.first{width:100%}
.test{font-size:13px}
@media (min-width:900px){
  .shell{flex-direction:row}
  .bar{display:none}
  .shell>.side{width:264px;flex:none;position:sticky;top:0;align-self:flex-start;height:100vh;overflow:auto;border-right:1px solid var(--line);padding:16px 12px}
  .test+.shell>.side{height:calc(100vh - 32px)}
  .shell>.side .brand{padding:4px 12px 16px;color:inherit}
  .side .end{margin-top:auto}
  main{padding:40px 40px 80px}
  .gate main{padding:36px 36px 40px}
}
@media (max-width:899px){.shell>.side{display:none}}
`;
