import { toNfc } from "../../core/text.ts";
import type { Who } from "./request-approval.ts";

/**
 * A client chooses a name, and nobody checks it. What is shown and stored says so, and whose link it was: a
 * name like the owner's address is no signature. Characters that nobody sees, or that turn the direction of a
 * text, and the marks that would close the quotation are left out.
 */
export function clientName(name: string, linkedBy: Who | null): Who {
  return `Client “${plainClientName(name)}” by the link of ${linkedBy ?? "an editor"}`;
}

/** Empty if nothing of the name can be seen. */
export function plainClientName(name: string): string {
  const kept = toNfc(name).replace(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}“”„‟"]+/gu, "");
  return kept.replace(/\s+/g, " ").trim();
}
