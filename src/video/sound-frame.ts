/** What all packets of a voice have in common. */
export interface Sound {
  /** By the names of ISO 14496-1: 0x40 is AAC, 0x6b and 0x69 are MP3 of its two generations. */
  readonly objectType: 0x40 | 0x6b | 0x69;
  /** Samples of each channel in a second. */
  readonly rate: number;
  readonly channels: number;
  /** Samples of each channel in a packet. */
  readonly samples: number;
  /** What AAC decoders are told beforehand. */
  readonly config: readonly number[];
}

/** A frame in a stream of them. */
export interface SoundFrame {
  readonly sound: Sound;
  /** Of the frame with its header. */
  readonly size: number;
  /** In front of what is kept of the frame. */
  readonly headerSize: number;
  /** It tells about the others, and says nothing itself. */
  readonly isEmpty: boolean;
}
