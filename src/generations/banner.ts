import { type Banners, BannersUnavailable } from "../banners/client.ts";
import { BANNER_SIZES, type BannerCopy, type BannerFormat, type BannerSize } from "../banners/copy.ts";
import { type GenerationRun, progressEvent } from "./generation-run.ts";
import { type Kept, keepFile, type Names, putFile, type Role, readFile } from "./media.ts";
import { DRAWN, madeBy, markOwnPicture } from "./source-mark.ts";

/** The sizes of a banner, in the order of its media; each is a PNG with a JPEG version. */
const FORMS = [
  { size: BANNER_SIZES.square, png: "square", jpeg: "square_jpeg" },
  { size: BANNER_SIZES.portrait, png: "tall", jpeg: "tall_jpeg" },
] as const satisfies readonly { readonly size: BannerSize; readonly png: Role; readonly jpeg: Role }[];

/** Draws the banners of a copy. Drawing costs nothing, and the same copy gives the same pictures. */
export async function drawBanners(making: GenerationRun, names: Names, copy: BannerCopy): Promise<readonly Kept[]> {
  const { journal } = making;
  const kept: Kept[] = [];
  for (const { size, png, jpeg } of FORMS) {
    await draw(making, names(png), { copy, size, format: "png" });
    await draw(making, names(jpeg), { copy, size, format: "jpeg" });
    kept.push(await keepFile(making, png, names(png)));
    await keepFile(making, jpeg, names(jpeg));
  }
  if (!journal.isDone("drawn")) await journal.write("drawn", true, [progressEvent(making, "banner")]);
  return kept;
}

interface Drawing {
  readonly copy: BannerCopy;
  readonly size: BannerSize;
  readonly format: BannerFormat;
}

async function draw(making: GenerationRun, name: string, { copy, size, format }: Drawing): Promise<void> {
  const { journal } = making;
  const step = `drawn:${name}`;
  if (journal.isDone(step)) return;
  const drawn = await askBanners(making, step, (banners) => banners.draw(copy, size, format));
  const banner = markOwnPicture(drawn, DRAWN);
  await putFile(making, name, banner, `image/${format}`);
  await journal.write(step, true);
}

/** How often a step asks before it gives up: as often as after any error of our own (jobs/runner.ts). */
const TRIES = 8;

/**
 * Asks the Worker that draws, for this step of the journal. While it is away, the job waits, longer each
 * time; in the end it fails with that reason.
 */
export async function askBanners<T>(
  { deps, journal }: Pick<GenerationRun, "deps" | "journal">,
  step: string,
  ask: (banners: Banners) => Promise<T>,
): Promise<T> {
  await journal.checkpoint();
  try {
    return await ask(deps.banners);
  } catch (error) {
    if (!(error instanceof BannersUnavailable)) throw error;
    deps.log.error("banners_unavailable", error, { step });
    return journal.retryWithBackoff(step, AWAY, { maxRetries: TRIES });
  }
}
const AWAY = { code: "unexpected", message: "The part of this service that draws banners does not answer." } as const;

/**
 * Adds a JPEG version of a picture that some platforms do not accept. A picture that cannot be decoded is
 * kept as it is, as is a paid one that nothing is there to decode. Encoding loses the mark, so it is written
 * again.
 */
export async function addJpeg(making: GenerationRun, names: Names, kept: Kept, size: BannerSizeOf): Promise<void> {
  const { deps, journal, project } = making;
  if (kept.mime === "image/jpeg" || journal.isDone("image_jpeg")) return;
  const isLast = journal.retriesOf("image_jpeg") + 1 >= TRIES;
  const jpeg = isLast
    ? null
    : await askBanners(making, "image_jpeg", async (banners) =>
        banners.toJpeg(await readFile(making, kept.name), size),
      );
  if (jpeg) {
    const marked = markOwnPicture(jpeg, madeBy(deps.imagesFor(project).model));
    await putFile(making, names("image_jpeg"), marked, "image/jpeg");
    await keepFile(making, "image_jpeg", names("image_jpeg"));
  }
  await journal.write("image_jpeg", jpeg !== null);
}

type BannerSizeOf = Parameters<Banners["toJpeg"]>[1];
