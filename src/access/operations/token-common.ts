import { z } from "@hono/zod-openapi";
import type { TokenId } from "../../core/ids.ts";
import { PERMISSIONS, type Permission } from "../../core/permissions.ts";
import { isoUtc, isoUtcOrNull } from "../../core/time.ts";

/** What each operation shows of a token; never what it could be recognized by. */
export const TokenFields = z.object({
  id: z.int(),
  name: z.string(),
  permissions: z.array(z.enum(PERMISSIONS)),
  created_at: z.string(),
  expires_at: z.string().nullable().openapi({ description: "Null: never." }),
  last_used_at: z.string().nullable().openapi({ description: "To within minutes. Null: not used yet." }),
});

export const EXAMPLE_TOKEN: z.input<typeof TokenFields> = {
  id: 7,
  name: "Shop",
  permissions: ["social-read-posts", "social-create-post"],
  created_at: "2030-03-05T10:00:00.000+00:00",
  expires_at: null,
  last_used_at: "2030-03-05T10:05:00.000+00:00",
};

interface TokenRow {
  readonly id: TokenId;
  readonly name: string;
  readonly permissions: readonly Permission[];
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly lastUsedAt: number | null;
}

export function toTokenFields(row: TokenRow): z.input<typeof TokenFields> {
  return {
    id: row.id,
    name: row.name,
    permissions: [...row.permissions],
    created_at: isoUtc(row.createdAt),
    expires_at: isoUtcOrNull(row.expiresAt),
    last_used_at: isoUtcOrNull(row.lastUsedAt),
  };
}
