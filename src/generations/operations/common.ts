import { absent } from "../../core/errors.ts";
import { readUuid } from "../schema.ts";

export const COMMON = { tag: "Generation", permission: "social-post-generation" } as const;

export function getUuid(words: string): string {
  const uuid = readUuid(words);
  if (uuid === null) throw absent("generation", words);
  return uuid;
}
