import { fileAddress } from "../media/own-address.ts";
import type { Generation } from "./table.ts";

/**
 * The generation record of spec 2.9, its keys in that order. `origin` is the origin of its media addresses.
 */
export function toRecord({ uuid, state, caption, files }: Generation, origin: string) {
  return {
    id: uuid,
    status: state,
    caption_text: caption,
    media_urls: files.map(({ name, mime }) => fileAddress(origin, name, mime)),
  };
}
