/**
 * The expression of twitter-text's emoji parser. How the default of a CommonJS module arrives is up to who
 * bundles it.
 */
declare module "twemoji-parser/dist/lib/regex.js" {
  const emoji: RegExp | { readonly default: RegExp };
  export = emoji;
}
