/** Why a video cannot be repackaged. */
export type Reason =
  /** It ends before its header says. */
  | { readonly why: "cut_off" }
  /** Its tables contradict each other or the file. */
  | { readonly why: "damaged" }
  /** More frames, boxes or bytes than are handled in bounded memory. */
  | { readonly why: "too_complex" }
  | { readonly why: "encrypted" }
  /** An MP4 has no place for this codec, or not for it alone. */
  | { readonly why: "codec"; readonly of: "video" | "audio"; readonly codec: string };

/** Thrown while a video is read; `planMp4` returns its reason. */
export class Unfit extends Error {
  readonly reason: Reason;

  constructor(reason: Reason) {
    super(`The video cannot be repackaged: ${reason.why}.`);
    this.reason = reason;
  }
}

export const damaged = (): Unfit => new Unfit({ why: "damaged" });
export const cutOff = (): Unfit => new Unfit({ why: "cut_off" });
export const tooComplex = (): Unfit => new Unfit({ why: "too_complex" });
