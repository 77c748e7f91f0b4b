import { createHash } from "node:crypto";

/**
 * The frames of an ordinary MP4, by its tables: written for the tests, apart from the readers of the service,
 * and strict. It throws for fragments, other boxes than an MP4 has, and offsets outside of `mdat`.
 */
export interface PacketTrack {
  readonly handler: "vide" | "soun";
  readonly ticksPerSecond: number;
  /** The transformation of the picture, as it is in the file. */
  readonly matrix: string;
  /** Of the first description, in order. */
  readonly entry: { readonly type: string; readonly bytes: Buffer };
  readonly packets: readonly Packet[];
}

export interface Packet {
  /** Shown and decoded at, in ticks of the track, after its edit list. */
  readonly pts: number;
  readonly dts: number;
  readonly size: number;
  readonly md5: string;
  readonly isKey: boolean;
}

interface Box {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

export function boxesOf(file: Buffer, from: number, to: number): readonly Box[] {
  const boxes: Box[] = [];
  for (let at = from; at < to; ) {
    const size = file.readUInt32BE(at);
    if (size < 8 || at + size > to) throw new Error(`A box of ${size} bytes at ${at} ends after ${to}.`);
    boxes.push({ type: file.toString("latin1", at + 4, at + 8), start: at + 8, end: at + size });
    at += size;
  }
  return boxes;
}

export function readPackets(bytes: Uint8Array): readonly PacketTrack[] {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const top = boxesOf(file, 0, file.byteLength);
  const order = top.map(({ type }) => type).join(" ");
  if (!/^ftyp moov mdat( uuid)?$/.test(order)) throw new Error(`The file has the boxes ${order}.`);
  const [, moov, mdat] = top;
  if (!moov || !mdat) throw new Error("The file has no frames.");
  const boxes = boxesOf(file, moov.start, moov.end);
  const mvhd = only(boxes, "mvhd");
  const movieTicks = file.readUInt32BE(mvhd.start + (file[mvhd.start] === 1 ? 20 : 12));
  const traks = boxes.filter(({ type }) => type === "trak");
  if (boxes.length !== traks.length + 1) throw new Error("The header has other boxes than tracks.");
  return traks.map((trak) => readTrack(file, trak, { mdat, movieTicks }));
}

function readTrack(file: Buffer, trak: Box, { mdat, movieTicks }: { mdat: Box; movieTicks: number }): PacketTrack {
  const inTrak = boxesOf(file, trak.start, trak.end);
  const tkhd = only(inTrak, "tkhd");
  const mdia = childrenOf(file, inTrak, "mdia");
  const hdlr = only(mdia, "hdlr");
  const mdhd = only(mdia, "mdhd");
  const handler = file.toString("latin1", hdlr.start + 8, hdlr.start + 12);
  if (handler !== "vide" && handler !== "soun") throw new Error(`A track has the handler ${handler}.`);
  const ticksPerSecond = file.readUInt32BE(mdhd.start + (file[mdhd.start] === 1 ? 20 : 12));
  const stbl = childrenOf(file, childrenOf(file, mdia, "minf"), "stbl");
  const rows = (type: string, width: number): readonly (readonly number[])[] => {
    const box = stbl.find((one) => one.type === type);
    if (!box) return [];
    const count = file.readUInt32BE(box.start + 4);
    if (box.start + 8 + count * width * 4 !== box.end) throw new Error(`${type} has other rows than it states.`);
    return Array.from({ length: count }, (_, row) =>
      Array.from({ length: width }, (_, column) => file.readUInt32BE(box.start + 8 + (row * width + column) * 4)),
    );
  };
  const stsz = only(stbl, "stsz");
  const uniform = file.readUInt32BE(stsz.start + 4);
  const count = file.readUInt32BE(stsz.start + 8);
  const sizes = Array.from({ length: count }, (_, at) => uniform || file.readUInt32BE(stsz.start + 12 + at * 4));
  const offsets = rows("stco", 1).flat();
  const expanded = (type: string): readonly number[] =>
    rows(type, 2).flatMap(([times = 0, value = 0]) => Array.from({ length: times }, () => value));
  const [ticks, shifts] = [expanded("stts"), expanded("ctts")];
  const keys = stbl.some(({ type }) => type === "stss") ? new Set(rows("stss", 1).flat()) : null;
  if (ticks.length !== count) throw new Error(`stts has ${ticks.length} frames, stsz ${count}.`);
  const chunkRows = rows("stsc", 3);
  const packets: Packet[] = [];
  const shift = editShift(file, inTrak, ticksPerSecond / movieTicks);
  let decodedAt = 0;
  for (const [chunk, offset] of offsets.entries()) {
    const row = chunkRows.findLast(([first = 0]) => first <= chunk + 1);
    let at = offset;
    for (let left = row?.[1] ?? 0; left > 0; left -= 1) {
      const number = packets.length;
      const size = sizes[number] ?? 0;
      if (at < mdat.start || at + size > mdat.end) throw new Error(`Frame ${number} is outside of mdat.`);
      const md5 = createHash("md5")
        .update(file.subarray(at, at + size))
        .digest("hex");
      const dts = decodedAt + shift;
      packets.push({ pts: dts + ((shifts[number] ?? 0) | 0), dts, size, md5, isKey: keys?.has(number + 1) ?? true });
      decodedAt += ticks[number] ?? 0;
      at += size;
    }
  }
  if (packets.length !== count) throw new Error(`The chunks have ${packets.length} frames, stsz ${count}.`);
  const stsd = only(stbl, "stsd");
  const [first] = boxesOf(file, stsd.start + 8, stsd.end);
  if (!first) throw new Error("A track has no description.");
  const matrixAt = tkhd.start + (file[tkhd.start] === 1 ? 52 : 40);
  return {
    handler,
    ticksPerSecond,
    matrix: file.toString("hex", matrixAt, matrixAt + 36),
    entry: { type: first.type, bytes: file.subarray(first.start, first.end) },
    packets,
  };
}

/** How many ticks later the edit list shows the first tick of the track. */
function editShift(file: Buffer, inTrak: readonly Box[], factor: number): number {
  if (!inTrak.some(({ type }) => type === "edts")) return 0;
  const elst = only(childrenOf(file, inTrak, "edts"), "elst");
  const isLong = file[elst.start] === 1;
  let shift = 0;
  for (let row = 0; row < file.readUInt32BE(elst.start + 4); row += 1) {
    const at = elst.start + 8 + row * (isLong ? 20 : 12);
    const duration = isLong ? Number(file.readBigUInt64BE(at)) : file.readUInt32BE(at);
    const time = isLong ? Number(file.readBigInt64BE(at + 8)) : file.readInt32BE(at + 4);
    shift += time < 0 ? Math.round(duration * factor) : -time;
  }
  return shift;
}

function only(boxes: readonly Box[], type: string): Box {
  const [found, ...others] = boxes.filter((box) => box.type === type);
  if (!found || others.length > 0) throw new Error(`There are ${others.length + (found ? 1 : 0)} boxes ${type}.`);
  return found;
}

function childrenOf(file: Buffer, boxes: readonly Box[], type: string): readonly Box[] {
  const box = only(boxes, type);
  return boxesOf(file, box.start, box.end);
}
