import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { ofProject } from "../accounts/table.ts";
import type { SpendingId, TokenId } from "../core/ids.ts";
import { instant, json } from "../db/columns.ts";

/** What an agent wants to spend, which a person confirms in the console (store.ts). */
export const spendingRequestsTable = sqliteTable(
  "spending_requests",
  {
    id: integer("id").$type<SpendingId>().primaryKey({ autoIncrement: true }),
    projectId: ofProject(),
    tokenId: integer("token_id").$type<TokenId>().notNull(),
    /** Of the token, the operation and every argument: another amount is another request. */
    termsHash: text("terms_hash").notNull(),
    /** Our sentence about the terms. */
    question: text("question").notNull(),
    terms: json("terms").$type<Readonly<Record<string, unknown>>>().notNull(),
    state: text("state").$type<"pending" | "confirmed" | "denied" | "used">().notNull(),
    /** The e-mail address of the member who answered. */
    answeredBy: text("answered_by"),
    createdAt: instant("created_at").notNull(),
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [
    uniqueIndex("spending_requests_by_terms").on(table.projectId, table.termsHash),
    index("spending_requests_open").on(table.projectId, table.expiresAt),
    index("spending_requests_expiry").on(table.expiresAt),
  ],
);
