/** The export and the deletion of a project. */
export const data = {
  title: "Export and deletion",
  lead: "Take everything of this project with you, or delete it.",
  export: "Export",
  exportLead:
    "A zip archive with a file of JSON lines for each kind (posts, timelines, comments, campaigns and so on), the uploaded and generated files, and a README that explains them. Tokens, credentials and secrets are not in it.",
  exportLarge: "A very large project has several archives: each README names the address of the next one.",
  download: "Download archive",
  delete: "Delete this project",
  deleteLead:
    "Everything of this project is deleted: posts, channels, bots, campaigns, files, tokens and members. This cannot be undone. From the moment of the request, access tokens are refused and nothing more is published.",
  deletePosts: "Also delete published posts at the platforms",
  deletePostsAbout: "As far as each platform allows it. Otherwise they stay live.",
  revokeLogins: "Revoke the logins of the channels at the platforms",
  revokeLoginsAbout: "Unless another project uses the same login.",
  campaigns: "Campaigns that may still spend are ended first.",
  confirmName: (name: string) => `Type the name of the project to confirm: ${name}`,
  wrongName: "This is not the name of the project.",
  deleteButton: "Delete project",
  deleting: (name: string) => `${name} is being deleted. The list of what is gone is below.`,
  deletions: "Deleted projects",
  deletionsLead: "What is gone, for 30 days.",
  states: { running: "Being deleted", gone: "Deleted" },
  steps: {
    tokens: "Revoking access tokens",
    bots: "Ending bots",
    campaigns: "Ending campaigns",
    posts: "Deleting posts",
    settling: "Waiting for the platforms",
    logins: "Revoking logins",
    files: "Deleting files",
    storages: "Deleting stored keys",
    rows: "Deleting rows",
    last_rows: "Deleted; checked once more after 15 minutes",
    done: "Deleted",
  },
  gone: "Gone",
  platformPosts: (count: number) => `${count} ${count === 1 ? "post" : "posts"} deleted at platforms`,
  logins: (count: number) => `${count} ${count === 1 ? "login" : "logins"} revoked`,
  otherRows: (count: number) => `${count} ${count === 1 ? "row" : "rows"} of the service`,
  remaining: "Remains at platforms",
  remainingPosts: (count: number) => `${count} ${count === 1 ? "post" : "posts"} that could not be deleted there`,
  remainingCampaigns: (count: number) =>
    count === 1
      ? "1 campaign that could not be ended, because its login had expired. End it at the platform"
      : `${count} campaigns that could not be ended, because their login had expired. End them at the platform`,
  remainingLogins: (count: number) =>
    count === 1
      ? "1 login that could not be revoked. Revoke it in the platform's settings"
      : `${count} logins that could not be revoked. Revoke them in the platform's settings`,
  requestedAt: "Requested",
} as const;
