import { platformTitle } from "../platforms/facts.ts";
import { findLogin, type LoginName, platformOf } from "./logins.ts";
import { type ConnectTexts, loginTitleIn, phraseIn } from "./wording.tsx";

/** Why a login connected nothing. */
export type LoginProblem =
  | { readonly kind: "notSetUp" | "declined" | "noPermission" | "noAccount" | "connectFirst" }
  /** In the platform's words. */
  | { readonly kind: "refused"; readonly words: string | null }
  /** In the adapter's words, in English. */
  | { readonly kind: "said"; readonly sentence: string }
  | { readonly kind: "mismatch"; readonly signedIn: string; readonly wanted: string };

/** The problem as a sentence. */
export function problemSentence(texts: ConnectTexts, login: LoginName, problem: LoginProblem): string {
  const { failed } = texts;
  const platform = platformTitle(platformOf(login));
  const title = findLogin(login)?.further?.title ?? null;
  const what = title === null ? null : (phraseIn(texts, title) ?? title);
  switch (problem.kind) {
    case "notSetUp":
      return failed.notSetUp({ login: loginTitleIn(texts, login) });
    case "declined":
      return what === null ? failed.declined({ platform }) : failed.declinedFurther({ platform, what });
    case "noPermission":
      return failed.noPermission({ platform });
    case "noAccount":
      return failed.noAccount({ platform });
    case "connectFirst":
      return failed.connectFirst({ platform, login: loginTitleIn(texts, login) });
    case "refused":
      return failed.refused({ platform, words: problem.words ?? failed.noReason });
    case "said":
      return problem.sentence;
    case "mismatch":
      return failed.mismatch({ platform, signedIn: problem.signedIn, wanted: problem.wanted, what: what ?? platform });
  }
}
