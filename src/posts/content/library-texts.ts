import { altTextProblems, altTextsLeftOut } from "../../media/check.ts";
import { ownFileName } from "../../media/own-address.ts";
import type { TypeRules } from "../../platforms/rules.ts";
import type { OwnFiles } from "./file-kinds.ts";

/** The alternative text of a file in the media library, if the post takes it; else null. */
export type LibraryTexts = (url: string) => string | null;

/** For posts with these rules: a text that is too long for them is left out. */
export function libraryTexts(files: OwnFiles, rules: TypeRules | undefined): LibraryTexts {
  return (url) => {
    const text = files.get(ownFileName(url) ?? "")?.altText ?? null;
    if (text === null || rules === undefined) return null;
    const isTaken = altTextsLeftOut("", rules.files, [text], []).length === 0;
    return isTaken && altTextProblems("", rules.files, [text], 1).length === 0 ? text : null;
  };
}
