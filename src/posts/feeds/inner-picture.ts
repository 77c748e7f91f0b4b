/** The addresses of an `<img>` of an entry, the likeliest first. Pure. */

/** Pages that load their pictures late have a placeholder in `src`. */
const SOURCES = ["data-src", "data-lazy-src", "data-original", "src"] as const;

/** None for an emoji of WordPress, and for a picture that counts readers: these show nothing of the entry. */
export function pictureSources(attributes: ReadonlyMap<string, string>): readonly string[] {
  const isEmoji = /\b(?:emoji|wp-smiley)\b/.test(attributes.get("class") ?? "");
  const isDot = ["width", "height"].some((name) => /^[01](?:px)?$/.test(attributes.get(name) ?? ""));
  if (isEmoji || isDot) return [];
  return SOURCES.flatMap((name) => attributes.get(name)?.trim() || []).filter((one) => !/^data:/i.test(one));
}
