/** The names of all texts, with the number of parts that a sentence is made of. */
export function shapeOf(texts: unknown, name = ""): string[] {
  if (typeof texts === "function") return [`${name}(${texts.length})`];
  if (typeof texts !== "object" || texts === null) return [name];
  return Object.entries(texts).flatMap(([part, text]) => shapeOf(text, `${name}.${part}`));
}
