/** What needs attention in a project. */
export const home = {
  title: "Home",
  lead: "What needs your attention in this project.",
  nothing: "Nothing needs attention.",
  nothingLead:
    "Failed posts, waiting posts, expiring channels, disabled webhooks, rejected campaigns, paused recurring posts and limits near their end appear here.",
  more: "See all",
  failed: {
    title: "Failed posts",
    lead: "Of the last 14 days. A post leaves this list when you post it again, copy it, delete it or dismiss it, or when a later post of the channel has the same text.",
  },
  waiting: {
    title: "Waiting posts",
    lead: "They continue automatically.",
    next: "Next attempt",
    paused: (name: string) => `The queue of ${name} is paused`,
    pausedLead: (count: number) => `${count} ${count === 1 ? "post waits" : "posts wait"} until it is resumed.`,
  },
  channels: {
    title: "Channels",
    expiring: "Expires soon",
    broken: "Reconnect",
    next: "Next post",
    open: "Open the channel",
  },
  webhooks: {
    title: "Disabled webhooks",
    gone: "The address reports that it is permanently gone (410).",
    failing: "No delivery succeeded for five days.",
    todo: "Fix the address, enable the webhook again and replay what it missed.",
    open: "Open the webhook",
  },
  series: {
    title: "Paused recurring posts",
    open: "Open",
  },
  feeds: {
    title: "Stopped feeds",
    todo: "Change its address, or continue it once it can be read.",
    open: "Open the feed",
  },
  campaigns: {
    title: "Refused campaigns",
    lead: "Of the last 14 days.",
    rejected: "Rejected",
    failed: "Failed",
    todo: "Change the campaign, or delete it and boost another post.",
    open: "Open the campaign",
  },
  limits: {
    title: "Limits near their end",
    used: (used: string, most: string) => `${used} of ${most}`,
    kinds: {
      platformCost: "Platform charges this month",
      spend: "Campaign budgets",
      waitingPosts: "Waiting posts and drafts",
      texts: "Texts of posts",
      files: "Uploaded files",
      generations: "Generated posts today",
    },
    todo: "The operator of this service can raise it.",
  },
} as const;
