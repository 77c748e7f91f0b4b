import type { Automation } from "./table.ts";

/** What the operations of automations report, in the API and in the console. */
export const stateSentence = ({ state }: Pick<Automation, "state">): string => `The comment automation is ${state}.`;
export const deletedSentence = (name: string): string => `The comment automation “${name}” was deleted.`;
