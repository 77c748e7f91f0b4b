/**
 * The regular expression of twitter-text's emoji parser. How the default export of a CommonJS module arrives
 * depends on the bundler.
 */
declare module "twemoji-parser/dist/lib/regex.js" {
  const emoji: RegExp | { readonly default: RegExp };
  export = emoji;
}
