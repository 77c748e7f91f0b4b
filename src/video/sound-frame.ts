/** The common properties of all packets of a voice. */
export interface Sound {
  /** Object types of ISO 14496-1: 0x40 is AAC; 0x6b and 0x69 are MP3 of MPEG-1 and MPEG-2. */
  readonly objectType: 0x40 | 0x6b | 0x69;
  /** Samples per channel and second. */
  readonly rate: number;
  readonly channels: number;
  /** Samples per channel and packet. */
  readonly samples: number;
  /** The AAC decoder configuration. */
  readonly config: readonly number[];
}

/** A frame of an audio stream. */
export interface SoundFrame {
  readonly sound: Sound;
  /** The size of the frame with its header. */
  readonly size: number;
  /** The size of the header, which is not kept. */
  readonly headerSize: number;
  /** A frame with metadata about the stream, without sound. */
  readonly isEmpty: boolean;
}
