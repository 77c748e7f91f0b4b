import type { CopyMaker } from "./fit-files.ts";
import { MP4_COPIES } from "./mp4-copies.ts";
import { pictureCopies } from "./picture-copies.ts";

/** Who makes copies of files that do not fit a platform; the first that has a plan for a file makes it. */
export const COPY_MAKERS: readonly CopyMaker[] = [pictureCopies, MP4_COPIES];
