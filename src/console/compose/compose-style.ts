import { CROP_STYLE } from "../crop/crop-dialog.tsx";
import { CARDS_STYLE } from "./media-cards.tsx";

/** The style of the pages that write posts. */
export const COMPOSE_STYLE = `${CARDS_STYLE}${CROP_STYLE}
fieldset.card{border:1px solid var(--line);padding:20px}
.field textarea{max-width:none;resize:vertical}
.field select{appearance:auto}
.variants{display:flex;flex-direction:column}
.variant{border-top:1px solid var(--line)}
.variant:first-child{border-top:0}
.variant summary{display:flex;flex-wrap:wrap;gap:2px 12px;align-items:baseline;min-height:44px;padding:10px 0}
.inside{display:flex;flex-direction:column;gap:20px;padding:8px 0 20px}
.pair{display:grid;gap:12px;grid-template-columns:repeat(auto-fit,minmax(min(100%,260px),1fr))}
.pair .field input{max-width:none}
form:not(:has(option[value=thread]:checked,input[value=thread])) .of-item{display:none}
.previews{display:grid;gap:16px;grid-template-columns:repeat(auto-fill,minmax(min(100%,300px),1fr));align-items:start}
.preview{display:flex;flex-direction:column;gap:12px;padding:16px;border:1px solid var(--line);border-radius:var(--radius);min-width:0}
#generation .preview{max-width:440px}
.preview header{display:flex;gap:12px;align-items:center}
.preview header .what,.choice .what{min-width:0;display:flex;flex-direction:column}
.preview .text,.comment{white-space:pre-wrap;overflow-wrap:anywhere}
.comment{padding:8px 12px;border-radius:10px;background:var(--fill);font-size:14px}
.link{color:var(--accent);font-weight:400}
.grid{display:grid;gap:4px;grid-template-columns:repeat(auto-fit,minmax(90px,1fr));border-radius:10px;overflow:hidden}
.grid img,.grid .file{display:grid;place-items:center;width:100%;aspect-ratio:1;object-fit:cover;padding:8px;background:var(--fill);font-size:12px;
  color:var(--soft);overflow-wrap:anywhere}
.grid img{padding:0}
.creator{display:flex;align-items:center;gap:12px}
.creator .what{display:flex;flex-direction:column}
a.choice{color:inherit;text-decoration:none}
.unavailable{opacity:.6;cursor:not-allowed}
progress{width:100%;accent-color:var(--accent)}
.only-own,.only-branded,.only-undecided,.brands,.consent.paid{display:none}
form:has(#disclose:checked) .brands{display:grid}
form:has(#disclose:checked):not(:has(#own_brand:checked,#paid_partnership:checked)) .only-undecided,
form:has(#disclose:checked):has(#own_brand:checked):not(:has(#paid_partnership:checked)) .only-own,
form:has(#disclose:checked):has(#paid_partnership:checked) :is(.only-branded,.consent.paid){display:block}
form:has(#disclose:checked):has(#paid_partnership:checked) :is(.consent.usual,option[value=SELF_ONLY]){display:none}
form:has(#disclose:checked):not(:has(#own_brand:checked,#paid_partnership:checked)) .publish{opacity:.5;pointer-events:none}
.note ul{margin-top:6px;padding-left:20px;list-style:disc}
`;
