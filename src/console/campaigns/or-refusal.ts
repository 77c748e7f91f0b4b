import { AppError } from "../../core/errors.ts";
import type { ProjectVisit } from "../definition.ts";
import { inLanguage } from "../problem-texts.ts";
import { isShown } from "../refusal.ts";

/** A refusal is shown in place of the form; an id of another project in the address is not found. */
export async function orRefusal<T>(
  { language }: ProjectVisit,
  act: () => Promise<T>,
  isToShow: (error: unknown) => boolean = isShown,
) {
  try {
    return await act();
  } catch (error) {
    if (!(isToShow(error) && error instanceof AppError)) throw error;
    const { problem, errors } = inLanguage(error, language);
    const sentences = Object.values(errors).flat();
    return {
      kind: "refused",
      message: sentences.length > 0 ? sentences.join(" ") : problem,
      isAbsent: error.code === "not_found",
    } as const;
  }
}
