import { CARDS_STYLE } from "../compose/media-cards.tsx";

export const LIBRARY_STYLE = `${CARDS_STYLE}
.field select{appearance:auto}
progress{width:100%;accent-color:var(--accent)}
.shown{align-self:flex-start;max-width:100%;max-height:420px;border-radius:12px;border:1px solid var(--line)}
`;
