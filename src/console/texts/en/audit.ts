/** Who did what in a project. */
export const audit = {
  title: "Audit log",
  lead: "Who did what in this project: each action in the console, administrative requests of access tokens, and commands of the operator. Kept for a year.",
  export: "Export as JSON lines",
  empty: "Nothing recorded yet",
  emptyLead: "Actions in the console and administrative API requests appear here.",
  columns: { action: "Action", actor: "Who", path: "Path", at: "Time" },
  token: (id: string) => `Access token ${id}`,
  unknown: "Outcome not recorded",
  older: "Older entries",
} as const;
