export const READ = { tag: "Messages", permission: "social-read-messages", extension: true } as const;

export const WRITE = { tag: "Messages", permission: "social-send-messages", extension: true } as const;
