/**
 * Replaces `zod/locales` (`[alias]` in wrangler.toml): zod's messages in fifty languages, all 360 KB of which
 * end up in any bundle. English is not among them: every schema brings it along.
 */
export {};
