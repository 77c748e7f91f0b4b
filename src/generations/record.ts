import { fileAddress } from "../media/own-address.ts";
import type { Generation } from "./table.ts";

/** A generation as callers know it (spec 2.9), its keys in that order. `origin`: where its media are. */
export function toRecord({ uuid, state, caption, files }: Generation, origin: string) {
  return {
    id: uuid,
    status: state,
    caption_text: caption,
    media_urls: files.map(({ name, mime }) => fileAddress(origin, name, mime)),
  };
}
