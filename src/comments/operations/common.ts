export const COMMON = { tag: "Comments", permission: "social-read-comments", extension: true } as const;
