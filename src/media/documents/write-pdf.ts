import type { PdfPage, PdfProfile } from "./pdf-page.ts";

/**
 * Writes a PDF file (ISO 32000-1) of pictures, one a page, as a stream: of one page after the other, only the
 * picture is in memory. The same pictures give the same bytes. A page is as large as its picture: one point a
 * pixel, which readers scale to the screen.
 */
const encoder = new TextEncoder();
/** The longest side that readers accept, in points. */
const MAX_SIDE = 14_400;
const CATALOG = 1;
const TREE = 2;

export async function* writePdf(pages: AsyncIterable<PdfPage>): AsyncGenerator<Uint8Array> {
  const file = new Objects();
  yield file.text("%PDF-1.5\n%\u00e2\u00e3\u00cf\u00d3\n");
  const kids: string[] = [];
  for await (const page of pages) {
    const number = file.reserve();
    kids.push(`${number} 0 R`);
    yield* pageOf(file, number, page);
  }
  yield file.object(CATALOG, `<< /Type /Catalog /Pages ${TREE} 0 R >>`);
  yield file.object(TREE, `<< /Type /Pages /Count ${kids.length} /Kids [${kids.join(" ")}] >>`);
  yield file.end();
}

async function* pageOf(file: Objects, number: number, page: PdfPage): AsyncGenerator<Uint8Array> {
  const { width, height, orientation, bitsPerSample, profile, entries } = page;
  const [content, image, length] = [file.reserve(), file.reserve(), file.reserve()];
  const shown = orientation >= 5 ? { width: height, height: width } : { width, height };
  const scale = Math.min(1, MAX_SIDE / Math.max(width, height));
  const [across, up] = [shown.width * scale, shown.height * scale].map(digits);
  const resources = `<< /XObject << /I ${image} 0 R >> >>`;
  const box = `/MediaBox [0 0 ${across} ${up}]`;
  yield file.object(
    number,
    `<< /Type /Page /Parent ${TREE} 0 R ${box} /Resources ${resources} /Contents ${content} 0 R >>`,
  );
  const drawing = `q ${matrixOf(orientation, shown.width * scale, shown.height * scale)} cm /I Do Q`;
  yield file.object(content, `<< /Length ${drawing.length} >>\nstream\n${drawing}\nendstream`);
  let space = page.colorSpace;
  if (profile) {
    const icc = file.reserve();
    space = `[/ICCBased ${icc} 0 R]`;
    yield* profileOf(file, icc, profile, page.colorSpace);
  }
  const about = `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /BitsPerComponent ${bitsPerSample}`;
  yield file.begin(image, `<< ${about} /ColorSpace ${space} ${entries} /Length ${length} 0 R >>\nstream\n`);
  let size = 0;
  for await (const part of page.data()) {
    size += part.byteLength;
    yield file.bytes(part);
  }
  yield file.text("\nendstream\nendobj\n");
  yield file.object(length, String(size));
}

function* profileOf(file: Objects, number: number, { samples, data, isPacked }: PdfProfile, space: string) {
  const filter = isPacked ? " /Filter /FlateDecode" : "";
  yield file.begin(number, `<< /N ${samples} /Alternate ${space}${filter} /Length ${data.byteLength} >>\nstream\n`);
  yield file.bytes(data);
  yield file.text("\nendstream\nendobj\n");
}

/** Places the unit square of an image on the page as EXIF's orientation says. */
function matrixOf(orientation: number, width: number, height: number): string {
  const [w, h] = [digits(width), digits(height)];
  const matrices: Readonly<Record<number, string>> = {
    2: `-${w} 0 0 ${h} ${w} 0`,
    3: `-${w} 0 0 -${h} ${w} ${h}`,
    4: `${w} 0 0 -${h} 0 ${h}`,
    5: `0 -${h} -${w} 0 ${w} ${h}`,
    6: `0 -${h} ${w} 0 0 ${h}`,
    7: `0 ${h} ${w} 0 0 0`,
    8: `0 ${h} -${w} 0 ${w} 0`,
  };
  return matrices[orientation] ?? `${w} 0 0 ${h} 0 0`;
}

const digits = (value: number): string => String(Number(value.toFixed(3)));

/** Numbers the objects, and knows where each begins. */
class Objects {
  readonly #offsets = new Map<number, number>();
  #next = TREE + 1;
  #at = 0;

  reserve(): number {
    this.#next += 1;
    return this.#next - 1;
  }

  bytes(part: Uint8Array): Uint8Array {
    this.#at += part.byteLength;
    return part;
  }

  text(words: string): Uint8Array {
    return this.bytes(encoder.encode(words));
  }

  begin(number: number, words: string): Uint8Array {
    this.#offsets.set(number, this.#at);
    return this.text(`${number} 0 obj\n${words}`);
  }

  object(number: number, words: string): Uint8Array {
    return this.begin(number, `${words}\nendobj\n`);
  }

  /** The table of all objects, and where it begins. */
  end(): Uint8Array {
    const start = this.#at;
    const numbers = Array.from({ length: this.#next - 1 }, (_, index) => index + 1);
    const entries = numbers.map((number) => `${String(this.#offsets.get(number) ?? 0).padStart(10, "0")} 00000 n \n`);
    const table = `xref\n0 ${this.#next}\n0000000000 65535 f \n${entries.join("")}`;
    return this.text(`${table}trailer\n<< /Size ${this.#next} /Root ${CATALOG} 0 R >>\nstartxref\n${start}\n%%EOF\n`);
  }
}
