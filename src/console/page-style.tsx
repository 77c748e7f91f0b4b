import { raw } from "hono/html";
import type { Visit } from "./definition.ts";

/** Rules that only this page needs: other pages stay small. */
export function PageStyle({ visit, rules }: { readonly visit: Visit; readonly rules: string }) {
  return <style nonce={visit.nonce}>{raw(rules)}</style>;
}
