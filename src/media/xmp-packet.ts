/**
 * How a file was made, in XMP: IPTC's Digital Source Type, which platforms read and the EU's AI Act requires.
 * A packet that the file already has is changed. Its other properties stay.
 *
 * Source: IPTC Photo Metadata Standard 2025.1; XMP Specification Part 1 (ISO 16684-1). Checked 2026-11-24.
 */
export interface SourceMark {
  /**
   * A word of IPTC's list. `trainedAlgorithmicMedia`: made by a trained model. `algorithmicMedia`: drawn by
   * rules.
   */
  readonly type: string;
  /** The names of the models that made the file. */
  readonly models: readonly string[];
}

const TYPES = "http://cv.iptc.org/newscodes/digitalsourcetype/";
const EXTENSION = "http://iptc.org/std/Iptc4xmpExt/2008-02-29/";
const RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
const END = "</rdf:RDF>";
/** What a JPEG segment holds. */
export const MAX_PACKET_BYTES = 65_502;
const MAX_NAMES = 200;
const MAX_PREFIXES = 8;

/** Prompts may contain private data, and some model servers write them into their files. */
const REPLACED = [
  "DigitalSourceType",
  "AISystemUsed",
  "AISystemVersionUsed",
  "AIPromptInformation",
  "AIPromptWriterName",
];

/** The packet with the mark. An existing one that cannot be changed is replaced. */
export function markedPacket(mark: SourceMark, existing: Uint8Array | null = null): Uint8Array {
  return (existing && changed(existing, mark)) ?? newPacket(mark);
}

function newPacket(mark: SourceMark): Uint8Array {
  const rdf = `<rdf:RDF xmlns:rdf="${RDF}">${descriptionOf(mark, '""')}${END}`;
  const start = '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>';
  return new TextEncoder().encode(`${start}<x:xmpmeta xmlns:x="adobe:ns:meta/">${rdf}</x:xmpmeta><?xpacket end="w"?>`);
}

/** `about` is an attribute's value with its quotes: all descriptions of a packet have the same. */
function descriptionOf({ type, models }: SourceMark, about: string): string {
  const names = escaped(models.join(", ").slice(0, MAX_NAMES));
  const system = names === "" ? "" : ` Iptc4xmpExt:AISystemUsed="${names}"`;
  const source = `Iptc4xmpExt:DigitalSourceType="${TYPES}${type}"`;
  return `<rdf:Description rdf:about=${about} xmlns:Iptc4xmpExt="${EXTENSION}" ${source}${system}/>`;
}

function escaped(text: string): string {
  const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return text.replace(/[\p{C}]/gu, "").replace(/[&<>"]/g, (letter) => entities[letter] ?? "");
}

/** Null if the packet is not understood, or would not fit. Takes time in line with its length. */
function changed(packet: Uint8Array, mark: SourceMark): Uint8Array | null {
  const text = textOf(packet);
  const end = text.lastIndexOf(END);
  // Comments, CDATA and entities could hide the mark from readers.
  if (end < 0 || text.includes("<!")) return null;
  const prefixes = new Set(Array.from(text.matchAll(BINDING), ([, prefix]) => prefix));
  if (prefixes.size > MAX_PREFIXES) return null;
  let kept: string | null = text.slice(0, end);
  for (const prefix of prefixes) {
    for (const name of REPLACED) kept = kept && without(kept, `${prefix}:${name}`);
  }
  if (kept === null) return null;
  const about = ABOUT.exec(text)?.[1] ?? '""';
  const bytes = new TextEncoder().encode(`${kept}${descriptionOf(mark, about)}${text.slice(end)}`);
  return bytes.byteLength > MAX_PACKET_BYTES ? null : bytes;
}

const WORD = /cv\.iptc\.org\/newscodes\/digitalsourcetype\/([A-Za-z]{1,60})/;
const SYSTEM = /\bAISystemUsed(?:\s*=\s*"([^"]{0,1000})"|>([^<]{0,1000})<)/;

/** The mark in a text that has a packet somewhere; null if it says nothing of how the file was made. */
export function readMark(text: string): SourceMark | null {
  const [, type] = WORD.exec(text) ?? [];
  if (type === undefined) return null;
  const [, attribute, element] = SYSTEM.exec(text) ?? [];
  const system = unescaped(attribute ?? element ?? "");
  return { type, models: system === "" ? [] : [system] };
}

const unescaped = (text: string): string =>
  text.replace(/&(lt|gt|quot|apos|amp);/g, (whole, name: string) => ENTITIES[name] ?? whole);
const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };

const BINDING = /xmlns:([A-Za-z_][\w.-]{0,40})\s*=\s*["']http:\/\/iptc\.org\/std\/Iptc4xmpExt\/2008-02-29\/["']/g;
const ABOUT = /\brdf:about\s*=\s*("[^"<]*"|'[^'<]*')/;
const VALUE = /\s*=\s*(?:"[^"]*"|'[^']*')/y;

/** Empty if it is not UTF-8, or too long to be changed. */
function textOf(packet: Uint8Array): string {
  if (packet.byteLength > MAX_PACKET_BYTES) return "";
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(packet);
  } catch {
    return "";
  }
}

/** The text without the elements and attributes of this name; null if an element has no end. */
function without(text: string, name: string): string | null {
  const pieces: string[] = [];
  let from = 0;
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, Math.max(from, at + 1))) {
    const end = text[at - 1] === "<" ? endOfElement(text, at, name) : endOfAttribute(text, at, name);
    if (end === "never") return null;
    if (end === null) continue;
    pieces.push(text.slice(from, at - 1));
    from = end;
  }
  return pieces.join("") + text.slice(from);
}

function endOfElement(text: string, at: number, name: string): number | "never" | null {
  if (!/[\s/>]/.test(text[at + name.length] ?? "")) return null;
  const tagEnd = text.indexOf(">", at);
  if (tagEnd < 0) return "never";
  if (text[tagEnd - 1] === "/") return tagEnd + 1;
  const close = `</${name}>`;
  const closeAt = text.indexOf(close, tagEnd);
  return closeAt < 0 ? "never" : closeAt + close.length;
}

function endOfAttribute(text: string, at: number, name: string): number | null {
  if (!/\s/.test(text[at - 1] ?? "")) return null;
  VALUE.lastIndex = at + name.length;
  return VALUE.test(text) ? VALUE.lastIndex : null;
}

const MB = 1024 * 1024;

/** What a picture says of how it was made; null if nothing. Packets are near the beginning, or at the end. */
export function markOf(picture: Uint8Array): SourceMark | null {
  const text = (part: Uint8Array): string => new TextDecoder().decode(part);
  return readMark(text(picture.subarray(0, MB))) ?? readMark(text(picture.subarray(-MB / 4)));
}
