import sharp from "sharp";

/**
 * Cloudflare's Images for the tests, after what its documents state (docs/decisions/0088): turned, in sRGB,
 * on a background, within the sides, at a quality. The local binding of wrangler knows neither quality nor
 * background. HEIC is not read here: this libvips has no decoder for it.
 *
 * `/convert` answers with the picture, or with the engine's code; `/inspect` with what a decoder sees;
 * `/paint` with a new picture of noise, as large as a photo of that many pixels.
 */
export async function answerPictures(request: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  const source = Buffer.from(await request.arrayBuffer());
  try {
    if (pathname === "/paint") return await paint(searchParams);
    return pathname === "/inspect"
      ? Response.json(await inspect(source, searchParams.has("turned")))
      : await convert(source, searchParams);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return Response.json({ code: UNREADABLE, message }, { status: 415 });
  }
}

const UNREADABLE = 9412;
const WRITERS = { "image/jpeg": "jpeg", "image/png": "png", "image/webp": "webp" } as const;

async function convert(source: Buffer, wanted: URLSearchParams): Promise<Response> {
  const side = (name: string) => Number(wanted.get(name));
  const format = Object.entries(WRITERS).find(([mime]) => mime === wanted.get("format"))?.[1];
  if (format === undefined) return Response.json({ code: 9413, message: "format" }, { status: 403 });
  const picture = sharp(source, { autoOrient: true })
    .resize(side("width"), side("height"), { fit: "inside", withoutEnlargement: true })
    .flatten({ background: wanted.get("background") ?? "#000" })
    .toColourspace("srgb")
    .toFormat(format, format === "png" ? {} : { quality: side("quality") });
  return new Response(new Uint8Array(await picture.toBuffer()));
}

async function paint(wanted: URLSearchParams): Promise<Response> {
  const side = (name: string) => Number(wanted.get(name));
  const noise = { type: "gaussian", mean: 128, sigma: side("sigma") } as const;
  const create = { width: side("width"), height: side("height"), channels: 3, background: "#888", noise } as const;
  const painted = sharp({ create });
  const bytes = wanted.get("format") === "png" ? painted.png() : painted.jpeg({ quality: 92 });
  return new Response(new Uint8Array(await bytes.toBuffer()));
}

/** The properties and five pixels, as stored or as EXIF turns them: the corners, then the middle. */
async function inspect(source: Buffer, autoOrient: boolean): Promise<object> {
  const about = await sharp(source).metadata();
  const { data, info } = await sharp(source, { autoOrient }).toColourspace("srgb").ensureAlpha().raw().toBuffer({
    resolveWithObject: true,
  });
  const pixel = (x: number, y: number) => {
    const at = (y * info.width + x) * info.channels;
    return [...data.subarray(at, at + info.channels)];
  };
  const [right, bottom] = [info.width - 1, info.height - 1];
  const pixels = [
    pixel(0, 0),
    pixel(right, 0),
    pixel(0, bottom),
    pixel(right, bottom),
    pixel(Math.floor(right / 2), Math.floor(bottom / 2)),
  ];
  const { format, space, orientation = 1, hasAlpha, hasProfile } = about;
  const { width, height } = info;
  return { format, width, height, space, orientation, hasAlpha, hasProfile, pixels };
}
