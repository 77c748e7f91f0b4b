import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, test } from "vitest";
import { joined } from "../../src/media/bytes.ts";
import { jpegPage } from "../../src/media/documents/jpeg-page.ts";
import { type PdfPage, UnfitPicture } from "../../src/media/documents/pdf-page.ts";
import { pngPage } from "../../src/media/documents/png-page.ts";
import { writePdf } from "../../src/media/documents/write-pdf.ts";
import { probe } from "../../src/media/probe.ts";
import { serve } from "../support/media-files.ts";

/**
 * PDFs that are made of the corpus' pictures. With PDF_FOLDER they are written there, for other readers: see
 * corpus/compare-pdf.sh.
 */
const FOLDER = "test/media/corpus";
const bytesOf = (name: string) => new Uint8Array(readFileSync(`${FOLDER}/${name}`));
const pageOf = async (name: string): Promise<PdfPage> =>
  name.endsWith(".png") ? pngPage(bytesOf(name)) : jpegPage(bytesOf(name));

async function pdfOf(...names: readonly string[]): Promise<Uint8Array<ArrayBuffer>> {
  async function* pages() {
    for (const name of names) yield await pageOf(name);
  }
  const parts: Uint8Array[] = [];
  for await (const part of writePdf(pages())) parts.push(new Uint8Array(part));
  return joined(parts);
}

const probed = (name: string, bytes: Uint8Array<ArrayBuffer>) =>
  probe(serve(bytes).read, `https://files.example.com/${name}`);

const pictures: string[] = [];
for (const name of readdirSync(FOLDER).filter((one) => /\.(jpg|png)$/.test(one))) {
  const outcome = await probed(name, bytesOf(name));
  if (outcome.kind === "media" && outcome.media.mime !== "image/gif") pictures.push(name);
}

/** What readers of PDF do not decode. */
const UNFIT = ["arithmetic.jpg"];

describe("each whole picture becomes a page of its size, or is refused", () => {
  test.for(pictures)("%s", async (name, { expect }) => {
    if (UNFIT.includes(name)) return expect(pageOf(name)).rejects.toThrow(UnfitPicture);
    const pdf = await pdfOf(name);
    if (process.env.PDF_FOLDER) writeFileSync(`${process.env.PDF_FOLDER}/${name}.pdf`, pdf);
    const picture = await probed(name, bytesOf(name));
    const [, width, height] = /\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/.exec(Buffer.from(pdf).toString("latin1")) ?? [];
    expect(picture).toMatchObject({ media: { width: Number(width), height: Number(height) } });
    expect(await probed(`${name}.pdf`, pdf)).toMatchObject({
      media: { kind: "document", mime: "application/pdf", pages: 1, bytes: pdf.byteLength },
    });
  });
});

test("several pictures are pages in order, and the same pictures give the same bytes", async ({ expect }) => {
  const names = ["exif-6.jpg", "rgba8.png", "cmyk.jpg", "palette.png", "interlaced.png"];
  const pdf = await pdfOf(...names);
  if (process.env.PDF_FOLDER) writeFileSync(`${process.env.PDF_FOLDER}/several.pdf`, pdf);
  expect(await probed("several.pdf", pdf)).toMatchObject({ media: { pages: 5 } });
  expect(await pdfOf(...names)).toEqual(pdf);
  expect(await pdfOf(...names.toReversed())).not.toEqual(pdf);
});

test("what a picture has beside its pixels stays out of the file", async ({ expect }) => {
  for (const name of ["exif-thumbnail.jpg", "xmp-iptc.jpg", "with-video.jpg", "comment.jpg", "with-text.png"]) {
    const text = Buffer.from(await pdfOf(name)).toString("latin1");
    expect(text, name).not.toMatch(/Exif\0|ns\.adobe\.com\/xap|ftyp|Photoshop 3\.0|tEXt/);
  }
});
