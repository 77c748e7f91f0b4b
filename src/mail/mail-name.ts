/**
 * A name that other people chose, for the words of a mail: mail programs make links of whatever looks like an
 * address, so a project called `pay.evil.example` would be one in our mail. Letters stay; what joins an
 * address becomes a space, and what cannot be seen is removed. Pure.
 */
export function nameInMail(name: string): string {
  const visible = name.normalize("NFKC").replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, " ");
  const words = visible.replace(/[@:/\\<>]+/g, " ").replace(/[.\u3002\uFF61](?=[\p{L}\p{N}])/gu, " ");
  const shown = words.replace(/\s+/g, " ").trim();
  return [...shown].slice(0, MAX_NAME).join("") || "…";
}

const MAX_NAME = 100;
