/** Spending that an agent requests, which a person confirms. */
export const spending = {
  title: "Confirm spending",
  lead: "An agent wants to spend money of this project. Nothing is spent unless you confirm it.",
  code: "Code",
  codeNote: "The agent shows the same code. If it shows another one, do not confirm.",
  by: "Requested by",
  token: (id: number) => `Access token ${id}`,
  at: "Requested",
  until: "Open until",
  terms: "Terms",
  confirm: "Confirm",
  deny: "Deny",
  confirmedNotice: "Confirmed. The agent can now do this once, within an hour.",
  deniedNotice: "Denied. Nothing is spent.",
  overLead: "It was answered or has expired. The agent can request it again.",
};
