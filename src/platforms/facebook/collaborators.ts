import { said } from "../../core/checks.ts";
import { post, Success } from "../meta/graph.ts";
import type { ApplyAfterwards } from "../publishing.ts";
import type { SettingProblem, WantedSettings } from "../rules.ts";
import { graphOf } from "./api.ts";

/** Invites Pages as collaborators of a live reel, one call each. Facebook takes ten a day and Page. */
export const inviteCollaborators: ApplyAfterwards = async (context, { options }, { id, secondaryId }) => {
  const graph = graphOf(context);
  for (const target_id of options.collaborators ?? []) {
    const answer = await graph.request(post(`${secondaryId ?? id}/collaborators`, { target_id }));
    const outcome = graph.interpretRead(answer, Success);
    if (outcome.kind === "failed") return { ...outcome, message: `${target_id}: ${outcome.message}` };
  }
  return { kind: "applied" };
};

/** Instagram names people, Facebook Pages. */
export function collaboratorConflicts({ options }: WantedSettings): readonly SettingProblem[] {
  const name = options.collaborators?.find((one) => !/^\d+$/.test(one));
  if (name === undefined) return [];
  const message = `options.collaborators must be numbers of Facebook Pages, not "${name}".`;
  return [{ field: "options.collaborators", ...said(message, "page_numbers", name) }];
}
