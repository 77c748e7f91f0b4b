// A bit writer for video and audio streams (ITU-T H.264, 7.2 and 9.1).

export class BitWriter {
  readonly #bytes: number[] = [];
  #current = 0;
  #filled = 0;

  /** Writes the lowest `count` bits, up to 24. */
  put(value: number, count: number): void {
    for (let bit = count - 1; bit >= 0; bit--) {
      this.#current = (this.#current << 1) | ((value >> bit) & 1);
      this.#filled++;
      if (this.#filled === 8) {
        this.#bytes.push(this.#current);
        this.#current = 0;
        this.#filled = 0;
      }
    }
  }

  /** Exp-Golomb code of a non-negative number. */
  ue(value: number): void {
    const length = 32 - Math.clz32(value + 1);
    this.put(0, length - 1);
    this.put(value + 1, length);
  }

  /** Signed Exp-Golomb code. */
  se(value: number): void {
    this.ue(value > 0 ? 2 * value - 1 : -2 * value);
  }

  /** The written bits, padded with zeros to a full byte. */
  bytes(): Uint8Array {
    while (this.#filled > 0) this.put(0, 1);
    return new Uint8Array(this.#bytes);
  }

  /**
   * A NAL unit: header byte, the written bits, stop bit, and escapes that prevent start codes in the content.
   */
  unit(head: number): Uint8Array {
    this.put(1, 1);
    const out = [head];
    let zeros = 0;
    for (const byte of this.bytes()) {
      if (zeros === 2 && byte <= 3) {
        out.push(3);
        zeros = 0;
      }
      out.push(byte);
      zeros = byte === 0 ? zeros + 1 : 0;
    }
    return new Uint8Array(out);
  }
}
