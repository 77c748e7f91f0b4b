import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { AccessRequestId, PersonId, ProjectId, TokenId } from "../core/ids.ts";
import type { Permission } from "../core/permissions.ts";
import { instant, json } from "../db/columns.ts";

/**
 * A terminal or an app that requests an access token from a person (store.ts). Secrets are stored as hashes.
 */
export const accessRequestsTable = sqliteTable(
  "access_requests",
  {
    id: integer("id").$type<AccessRequestId>().primaryKey({ autoIncrement: true }),
    kind: text("kind").$type<"terminal" | "app">().notNull(),
    state: text("state").$type<"pending" | "allowed" | "denied" | "redeemed">().notNull(),
    /** Of what the address of the console's page has; null until a person enters the terminal's code. */
    pageHash: text("page_hash").unique(),
    /** Of the code that the terminal shows, keyed; null for an app. */
    userCodeHash: text("user_code_hash").unique(),
    /** Of what the client exchanges for the token; null for an app that was denied. */
    codeHash: text("code_hash").unique(),
    clientHash: text("client_hash").notNull(),
    clientName: text("client_name").notNull(),
    /** With the next two, of an app only: where it gets its code, its state, and its S256 challenge. */
    redirectUri: text("redirect_uri"),
    clientState: text("client_state"),
    codeChallenge: text("code_challenge"),
    /** The most that it may get. */
    requested: json("requested").$type<readonly Permission[]>().notNull(),
    /** To limit how many requests of terminals one network opens; empty for an app, or if unknown. */
    network: text("network").notNull(),
    /** The same of the provider's network. */
    region: text("region").notNull(),
    /** Shown to the person: the address and the place of the terminal or the browser. */
    origin: text("origin").notNull(),
    /** The person who entered the code or allowed it: no one else can. */
    personId: integer("person_id").$type<PersonId>(),
    /** With the next three, what the person allowed. */
    projectId: integer("project_id").$type<ProjectId>(),
    createdBy: text("created_by"),
    permissions: json("permissions").$type<readonly Permission[]>(),
    tokenExpiresAt: instant("token_expires_at"),
    /** Of the token that was issued: revoked if the code of an app is used again. */
    tokenId: integer("token_id").$type<TokenId>(),
    polledAt: instant("polled_at"),
    intervalSeconds: integer("interval_seconds").notNull(),
    isTooSoon: integer("is_too_soon", { mode: "boolean" }).notNull(),
    createdAt: instant("created_at").notNull(),
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [
    index("access_requests_by_network").on(table.network, table.createdAt),
    index("access_requests_by_region").on(table.region, table.createdAt),
    index("access_requests_expiry").on(table.expiresAt),
  ],
);
