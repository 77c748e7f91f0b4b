import type { PlatformFacts } from "../platform-facts.ts";

export const facts = {
  title: "Bluesky",
  offers: "Your account, on any server",
  sign: "B",
  color: "#0a7aff",
  postTypes: ["post", "thread"],
  declarations: {},
  options: { languages: { types: ["post", "thread"] } },
  apps: {
    bluesky: {
      id: "PUBLIC_ORIGIN",
      secret: "BLUESKY_CLIENT_KEYS",
      servedAt: "/connect/client/bluesky.json",
      // Another directory of accounts than the network's: for tests with servers of one's own.
      options: { directory: "BLUESKY_DIRECTORY" },
      sandbox: {
        id: "https://belfry.example/connect/client/bluesky.json",
        secret:
          "sandbox:MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgcZYBPJz+Kmgst3QyAmgW7S8s7lGFDE3RQKEaAbAEUEihRANCAATwqXYM+W8qchgYGJgZRoY+dlGZaun/yshgMPswUL199l41HhAAlOdybzwfN8yiPDUWGwIWuDP6l3iijqav2Edj",
      },
    },
  },
} as const satisfies PlatformFacts;
