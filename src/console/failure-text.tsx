import { problemsIn } from "../pages/texts.ts";
import type { Visit } from "./definition.ts";

interface FailureText {
  readonly visit: Pick<Visit, "language">;
  /** A failure code; null or another word where nothing failed. */
  readonly code: string | null;
  /** As stored: by this service or a platform, in English. */
  readonly sentence: string | null;
}

/** Why something failed or waits, in the language of the page; then the stored sentence with the details. */
export function FailureText({ visit: { language }, code, sentence }: FailureText) {
  const texts: Readonly<Record<string, string>> = problemsIn(language)?.failures ?? {};
  return (
    <>
      {texts[code ?? ""] ?? ""} <span lang="en">{sentence}</span>
    </>
  );
}
