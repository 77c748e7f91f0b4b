/**
 * Stands for `zod/locales` (`[alias]` in wrangler.toml): zod's sentences in fifty languages, of which any
 * bundle holds all, 360 KB of them. Its English is not among these: every schema brings that by itself.
 */
export {};
