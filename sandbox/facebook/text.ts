// How the Graph API returns texts: unchanged, or altered in the ways that it is suspected of.

import type { Sandbox } from "../sandbox";
import { findPage, PERSON } from "./store";

/** A text as Graph returns it. */
export function readBack(sandbox: Sandbox, text: string): string {
  return sandbox.settings.all.facebook_text_readback === "altered" ? altered(sandbox, text) : text;
}

function altered(sandbox: Sandbox, text: string): string {
  return (
    text
      .replace(/@\[(\d+)(?::[^\]]*)?\]/g, (_mention, id: string) => nameOf(sandbox, id))
      .normalize("NFC")
      // Soft hyphens, zero-width spaces and direction marks; the joiner within emoji is kept.
      .replace(/[\u00ad\u200b\u200c\u200e\u200f\u2060\ufeff]/g, "")
      .replace(/\r\n?/g, "\n")
      .replace(/[^\S\n]+/g, " ")
      .replace(/ ?\n ?/g, "\n")
      .replace(/\n{3,}/g, "\n\n")
      .trim()
  );
}

function nameOf(sandbox: Sandbox, id: string): string {
  if (id === PERSON.id) return PERSON.name;
  return findPage(sandbox, id)?.name ?? `Page ${id}`;
}
