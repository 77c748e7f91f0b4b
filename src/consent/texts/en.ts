/** The page that shows how far a deletion of data has come. Other languages have the same shape. */
export const en = {
  title: "Deletion of your data",
  code: "Confirmation code",
  requested: (date: string) => `Requested on ${date}`,
  working: "Your data is being deleted. This takes a few minutes.",
  done: (platform: string) =>
    `Done: your connection with ${platform} has ended, and what was read of your account is deleted.`,
  unknown: { title: "This code is not known", lead: "Check the address. A status is shown for 180 days." },
  language: "Language",
};
