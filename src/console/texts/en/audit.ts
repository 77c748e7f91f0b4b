/** Who did what in a project. */
export const audit = {
  title: "Audit log",
  lead: "Who did what in this project: each action in the console, and administrative requests of access tokens. Kept for a year.",
  export: "Export as JSON lines",
  empty: "Nothing recorded yet",
  emptyLead: "Actions in the console and administrative API requests appear here.",
  columns: { action: "Action", actor: "Who", path: "Path", at: "Time" },
  token: (id: string) => `Access token ${id}`,
  older: "Older entries",
} as const;
