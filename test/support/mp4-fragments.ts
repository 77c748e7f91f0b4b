import { boxesOf } from "./mp4-packets.ts";

/** Parts of MP4 files in fragments, for tests that need large or odd ones. */

export function sizedBox(type: string, content: Uint8Array): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(content.byteLength + 8);
  head.write(type, 4, "latin1");
  return Buffer.concat([head, content]);
}

/** Everything up to the end of the movie header. */
export function headerOf(fragmented: Uint8Array): Buffer {
  const file = Buffer.from(fragmented);
  const moov = boxesOf(file, 0, file.byteLength).find(({ type }) => type === "moov");
  if (!moov) throw new Error("The file has no header.");
  return file.subarray(0, moov.end);
}

/** A fragment of one frame of the first track, of 30 frames a second in ticks of the corpus. */
export function fragmentOf(number: number, bytes: number): Buffer {
  const tfhd = Buffer.from("0002000000000001", "hex");
  const tfdt = Buffer.alloc(8);
  tfdt.writeUInt32BE(number * 512, 4);
  const trun = Buffer.alloc(20);
  trun.writeUInt32BE(0x301);
  trun.writeUInt32BE(1, 4);
  trun.writeUInt32BE(92, 8);
  trun.writeUInt32BE(512, 12);
  trun.writeUInt32BE(bytes, 16);
  const traf = Buffer.concat([sizedBox("tfhd", tfhd), sizedBox("tfdt", tfdt), sizedBox("trun", trun)]);
  const moof = sizedBox("moof", Buffer.concat([sizedBox("mfhd", Buffer.alloc(8)), sizedBox("traf", traf)]));
  return Buffer.concat([moof, sizedBox("mdat", Buffer.alloc(bytes, number))]);
}
