/** What cannot be used, with a sentence for the person who waits for it. */
export interface Unusable {
  readonly kind: "failed";
  readonly message: string;
}

export const unusable = (message: string): Unusable => ({ kind: "failed", message });
