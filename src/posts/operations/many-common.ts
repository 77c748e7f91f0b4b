import type { z } from "@hono/zod-openapi";
import { adviceOn } from "../../core/advice.ts";
import type { Outcome, Refusal } from "../many/create-many.ts";
import type { Item } from "../many/item-schema.ts";
import type { RefusedView } from "../many/many-schema.ts";

export interface Shown<O extends Outcome> {
  readonly outcome: O;
  readonly index: number;
  readonly item: Item | undefined;
  readonly origin: string;
}

export function refusedView({ outcome, index, item, origin }: Shown<Refusal>): z.output<typeof RefusedView> {
  const { code, message, errors } = outcome;
  const refusal = { message, code, ...adviceOn(code, origin), ...(errors ? { errors } : {}) };
  return { index, status: false, ...refusal, ...warningsOf(item) };
}

export function warningsOf(item: Item | undefined, more: readonly string[] = []): { readonly warnings?: string[] } {
  const warnings = [...(item?.warnings ?? []), ...more];
  return warnings.length === 0 ? {} : { warnings };
}
