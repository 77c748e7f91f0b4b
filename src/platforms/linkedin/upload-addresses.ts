import { MAX_PART_BYTES } from "../../core/max-part-bytes.ts";
import type { Media } from "../rules.ts";

/** The addresses that LinkedIn returns for the bytes of a file. */

interface Part {
  readonly url: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Whether the parts form the whole file and go to LinkedIn's hosts only. Parts that LinkedIn chose must fit
 * into memory.
 */
export function areWhole(parts: readonly Part[], { bytes }: Pick<Media, "bytes">, isSplit: boolean): boolean {
  const most = isSplit ? MAX_PART_BYTES : bytes;
  return parts.every(({ url, start, end }, index) => {
    const next = parts[index + 1]?.start ?? bytes;
    return isTheirs(url) && start === (parts[index - 1]?.end ?? 0) && end === next && end - start <= most;
  });
}

/** Whether the address is LinkedIn's: tokens and files go nowhere else. */
export function isTheirs(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === "https:" && /(^|\.)linkedin\.com$/.test(hostname);
}
