/** An unusable file, with a sentence for the user. */
export interface Unusable {
  readonly kind: "failed";
  readonly message: string;
}

export const unusable = (message: string): Unusable => ({ kind: "failed", message });
