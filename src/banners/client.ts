import { FixedTextError } from "../core/error-text.ts";
import { SECOND } from "../core/time.ts";
import type { BannerCopy, BannerFormat, BannerSize } from "./copy.ts";
import type { Texts } from "./words.ts";

/** What the service asks of the Worker that draws (worker.ts). Each throws `BannersUnavailable`. */
export interface Banners {
  /** Throws unless the Worker answers. */
  ping(): Promise<void>;
  /** The characters of a copy that no font has, each once. */
  uncovered(copy: Texts): Promise<readonly string[]>;
  /** Deterministic: the same copy gives the same picture. */
  draw(copy: BannerCopy, size: BannerSize, format: BannerFormat): Promise<Uint8Array<ArrayBuffer>>;
  /** A PNG, JPEG or WebP as JPEG that fills this size; null if it is none, is damaged or is too large. */
  toJpeg(picture: Uint8Array<ArrayBuffer>, size: Size): Promise<Uint8Array<ArrayBuffer> | null>;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** The Worker is not there, failed or took too long. Nothing is lost: the same call may be made again. */
export class BannersUnavailable extends FixedTextError {}

/** A banner takes some tenths of a second, on a busy machine some seconds; a lease is longer. */
const LIMIT_MS = 30 * SECOND;

/** `onCall`: each counts as a subrequest. */
export function createBanners(binding: Env["BANNERS"], onCall: () => void): Banners {
  const call = async <T>(act: () => Promise<T>): Promise<T> => {
    onCall();
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new FixedTextError("It took too long.")), LIMIT_MS);
    try {
      return await Promise.race([act(), late]);
    } catch (cause) {
      throw new BannersUnavailable("The Worker of banners, bound as BANNERS, does not answer.", { cause });
    } finally {
      clearTimeout(timer);
    }
  };
  return {
    ping: () => call(async () => void (await binding.ping())),
    uncovered: (copy) => call(() => binding.uncovered(copy)),
    draw: (copy, size, format) => call(() => binding.draw(copy, size, format)),
    toJpeg: (picture, size) => call(() => binding.toJpeg(picture, size)),
  };
}
