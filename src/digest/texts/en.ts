/** The digest by e-mail, and the page that stops it. Other languages have the same shape. */
export const en = {
  mail: {
    failed: (count: string) => `${count} failed`,
    attention: (count: number) =>
      count === 0 ? "" : `${count} ${count === 1 ? "channel needs" : "channels need"} attention`,
    failedTitle: "Failed posts",
    post: "A post",
    noReason: "It failed.",
    more: "More",
    channels: "Channels that need a reconnection",
    expired: "It has expired.",
    expiring: "It expires soon.",
    stop: "Stop these messages",
  },
  ask: { title: "Stop the digest?", lead: "You will receive no more digests of this project by e-mail." },
  button: "Stop",
  done: { title: "The digest is stopped", lead: "You can turn it on again under Members in the console." },
  unknown: { title: "This link is not valid", lead: "Copy the whole address from the e-mail." },
  language: "Language",
};
