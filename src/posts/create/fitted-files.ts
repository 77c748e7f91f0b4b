import type { MediaFile, TypeRules } from "../../platforms/rules.ts";
import type { Deps } from "../../service/deps.ts";
import type { Probed } from "../content/media.ts";
import { COPY_MAKERS } from "../publish/copy-makers.ts";
import { type CopyPlan, planCopy } from "../publish/fit-files.ts";

/** A copy that publishing would make of a file. */
export interface FittedFile {
  readonly url: string;
  readonly mime: string;
  readonly width: number;
  readonly height: number;
  readonly maxBytes: number;
  readonly description: string;
}

/** The plans of the files that need a copy, by their addresses. */
export type Fits = ReadonlyMap<string, CopyPlan>;
export const NO_FITS: Fits = new Map();

/** What publishing would make of the files. Pure. */
export function plannedFits(deps: Pick<Deps, "pictures">, rules: TypeRules, files: Probed): Fits {
  const plans = [...files.values()].flatMap((outcome) => {
    const found = outcome.kind === "media" ? planCopy(COPY_MAKERS, outcome.media, rules, deps) : null;
    return found && outcome.kind === "media" ? [[outcome.media.url, found.plan] as const] : [];
  });
  return new Map(plans);
}

/** The files as the platform would get them. */
export function withFits(files: Probed, fits: Fits): Probed {
  const sent = [...files].map(([url, outcome]) => {
    const plan = fits.get(url);
    return [url, plan && outcome.kind === "media" ? { ...outcome, media: plan.file } : outcome] as const;
  });
  return new Map(sent);
}

/** The file as it is, at its position in the post. */
export function asProbed<File extends MediaFile>(file: File, files: Probed): File {
  const probed = files.get(file.url);
  return probed?.kind === "media" ? { ...file, ...probed.media } : file;
}

/** Of the files of an item, in order, each once. */
export function fittedFiles(urls: readonly string[], fits: Fits): readonly FittedFile[] {
  return [...new Set(urls)].flatMap((url) => {
    const plan = fits.get(url);
    if (!plan) return [];
    const { mime, width, height } = plan.file;
    if (width === null || height === null) return [];
    return [{ url, mime, width, height, maxBytes: plan.maxBytes, description: plan.describe(plan.file) }];
  });
}
