import type { TemplateName } from "./designs.ts";
import type { Template } from "./template.ts";
import { aurora } from "./templates/aurora.ts";
import { blocks } from "./templates/blocks.ts";
import { blueprint } from "./templates/blueprint.ts";
import { bubble } from "./templates/bubble.ts";
import { editorial } from "./templates/editorial.ts";
import { poster } from "./templates/poster.ts";
import { sunburst } from "./templates/sunburst.ts";
import { ticket } from "./templates/ticket.ts";

export const TEMPLATES: Readonly<Record<TemplateName, Template>> = {
  poster,
  editorial,
  aurora,
  blocks,
  sunburst,
  bubble,
  ticket,
  blueprint,
};
