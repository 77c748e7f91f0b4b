/** The designs of banners, each with what it is for: the model chooses by these words. */
export const DESIGNS = {
  poster: "huge narrow letters on a bright colour, for offers and announcements",
  editorial: "calm serif in a fine frame on paper, for quotes, invitations and thoughts",
  aurora: "soft coloured light behind a card of dark glass, for technology and news",
  blocks: "geometric tiles above bold words on paper, for culture, courses and ideas",
  sunburst: "a big round seal on sun rays, for celebrations, sales and thanks",
  bubble: "a chat with speech bubbles, for questions, tips and stories",
  ticket: "a ticket with a stub, for events, vouchers and dates",
  blueprint: "thin letters on a drawing grid, for how-tos, products and numbers",
} as const;

export type TemplateName = keyof typeof DESIGNS;

export const TEMPLATE_NAMES = [
  "poster",
  "editorial",
  "aurora",
  "blocks",
  "sunburst",
  "bubble",
  "ticket",
  "blueprint",
] as const satisfies readonly TemplateName[];
