/** The choice of a digest by e-mail. */
export const digest = {
  title: "Your digest by e-mail",
  lead: (zone: string) =>
    `Failed posts and channels that need a reconnection, at 8:00 (${zone}), weekly on Mondays. Nothing is sent if nothing needs attention.`,
  noMail: "This service does not send e-mail yet. Your choice is kept. The operator sets MAIL_FROM and MAIL_URL.",
  choices: { off: "Off", daily: "Daily", weekly: "Weekly" },
  refused: "The mail server refused the digest to this address:",
  saved: {
    off: "The digest is off.",
    daily: "You will receive the digest daily.",
    weekly: "You will receive the digest on Mondays.",
  },
};
