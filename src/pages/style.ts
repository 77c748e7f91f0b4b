/** The colours of the two schemes. A brand may replace the accent (branding/colors.ts). */
export const LIGHT = `--paper:#f4f2ee;--card:#ffffff;--ink:#1d1b22;--soft:#5f5b68;--line:#dedae3;--fill:#f7f5fa;
  --accent:#4338ca;--accent-ink:#fff;--tint:#eeecfb;--bad:#a3282b;--bad-tint:#fdf0ef;--good:#1a6b45;--good-tint:#eaf6ef`;
export const DARK = `--paper:#131217;--card:#1e1c24;--ink:#f1eff5;--soft:#aaa5b6;--line:#3a3644;--fill:#26232e;
  --accent:#a5a0ff;--accent-ink:#17142f;--tint:#2b2750;--bad:#ff9d98;--bad-tint:#3a2022;--good:#86d9ae;--good-tint:#17311f`;

/**
 * The style that all pages share: colours, light and dark, texts, notes and buttons. Nothing is loaded from
 * other hosts.
 */
export const BASE_STYLE = `
:root{color-scheme:light dark;${LIGHT}}
@media (prefers-color-scheme:dark){:root{${DARK}}}
*,*::before,*::after{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;min-height:100vh;min-height:100dvh;display:flex;flex-direction:column;background:var(--paper);color:var(--ink);
  font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
h1,h2,p,ul,ol,fieldset{margin:0;padding:0;border:0;min-width:0}
ul{list-style:none}
a{color:var(--link,var(--accent))}
button,input{font:inherit;color:inherit}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.brand{display:flex;align-items:center;gap:10px;padding:18px 20px;font-weight:700;letter-spacing:-.01em}
.brand svg{width:24px;height:24px;color:var(--accent);flex:none}
.brand img{height:32px;max-width:160px;object-fit:contain;flex:none}
.test{padding:6px 20px;background:#fde9b3;color:#6b4300;font-size:14px;font-weight:600;text-align:center}
h1{font-size:26px;line-height:1.2;letter-spacing:-.02em;text-wrap:balance;overflow-wrap:anywhere}
.lead{margin-top:10px;color:var(--soft);overflow-wrap:anywhere}
.small{font-size:14px;color:var(--soft)}
.head{display:flex;flex-direction:column;align-items:flex-start}
.mark{display:grid;place-items:center;width:48px;height:48px;border-radius:50%;margin-bottom:16px;font-size:24px;font-weight:700}
.mark.good{background:var(--good-tint);color:var(--good)}
.mark.bad{background:var(--bad-tint);color:var(--bad)}
.mark.calm{background:var(--tint);color:var(--link,var(--accent))}
.note h2{font-size:16px}
.note ol{margin-top:6px;padding-left:20px}
.note{padding:12px 16px;border-radius:12px;background:var(--tint);overflow-wrap:anywhere}
.note.bad{background:var(--bad-tint);color:var(--bad)}
.languages{display:flex;flex-wrap:wrap;justify-content:center;gap:4px 8px;margin-top:12px;font-size:14px;color:var(--soft)}
.languages>*{padding:4px 6px}
.actions{display:flex;flex-direction:column;gap:10px}
.button{display:block;width:100%;min-height:52px;padding:12px 20px;border:1px solid var(--line);border-radius:14px;background:var(--card);
  color:var(--ink);font-weight:600;line-height:1.6;text-align:center;text-decoration:none;cursor:pointer}
.button:hover{background:var(--fill)}
.button.first{background:var(--accent);border-color:var(--accent);color:var(--accent-ink)}
.button.first:hover{filter:brightness(1.08)}
.plain{align-self:center;padding:8px 12px;text-align:center;color:var(--soft)}
`;
