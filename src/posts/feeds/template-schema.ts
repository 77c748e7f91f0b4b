import { type Shape, shapeOf } from "../../http/shape.ts";
import { CreatePostBody } from "../schema.ts";

export type { Shape } from "../../http/shape.ts";

/** The fields of create-post, which a template of a feed may have. */

export const POST_SHAPE = shapeOf(CreatePostBody);

/** The shape of a field; null for what is none. */
export function fieldShape(shape: Shape, key: string): Shape | null {
  if (shape.kind === "record") return shape.value;
  if (shape.kind === "union") {
    const shapes = shape.options.map((option) => fieldShape(option, key));
    return shapes.find((option) => option !== null) ?? null;
  }
  return shape.kind === "object" ? (shape.fields.get(key) ?? null) : null;
}

/** The shape of a list's items; null for what is no list. */
export function itemShape(shape: Shape): Shape | null {
  if (shape.kind === "union") return shape.options.map(itemShape).find((option) => option !== null) ?? null;
  return shape.kind === "array" ? shape.item : null;
}
