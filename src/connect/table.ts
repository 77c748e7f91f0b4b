import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { ProjectId } from "../core/ids.ts";
import { instant, json } from "../db/columns.ts";
import type { GrantPurpose, PlatformName } from "../platforms/names.ts";
import type { LoginName } from "./logins.ts";

export const CONNECT_STATUS = ["pending", "success", "failed"] as const;
export type ConnectStatus = (typeof CONNECT_STATUS)[number];

/**
 * The progress of a session, which a poller must see at once although KV may be stale for a minute. Written
 * when a session is opened, and when the person does something. The session itself (user, return address) is
 * in KV under `connect:<project>:<token hash>`.
 */
export const connectSessionsTable = sqliteTable(
  "connect_sessions",
  {
    tokenHash: text("token_hash").primaryKey(),
    projectId: integer("project_id").$type<ProjectId>().notNull(),
    status: text("status").$type<ConnectStatus>().notNull(),
    /** The remaining logins, the current one first. */
    remaining: json("remaining").$type<readonly LoginName[]>().notNull(),
    connected: json("connected").$type<readonly ConnectedChannel[]>().notNull(),
    message: text("message"),
    updatedAt: instant("updated_at").notNull(),
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [
    index("connect_sessions_expiry").on(table.expiresAt),
    // Open sessions, counted when another one is opened.
    index("connect_sessions_open").on(table.projectId, table.expiresAt).where(sql`status <> 'success'`),
  ],
);

export interface ConnectedChannel {
  readonly id: number;
  readonly platform: PlatformName;
  readonly name: string;
  /** Its connected additional logins. An object, so that a merge patch adds one and keeps the others. */
  readonly further?: Readonly<Partial<Record<GrantPurpose, true>>>;
}

/** One row per authorization request, deleted when it is read, so a `state` works once. */
export const oauthStatesTable = sqliteTable(
  "oauth_states",
  {
    stateHash: text("state_hash").primaryKey(),
    tokenHash: text("token_hash").notNull(),
    /** The login: a platform's own, or an additional one. */
    platform: text("platform").$type<LoginName>().notNull(),
    /** The browser that started it, as the hash of its cookie. */
    browserHash: text("browser_hash").notNull(),
    /** Sealed: the connect token and the PKCE verifier. */
    sealed: text("sealed").notNull(),
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [
    index("oauth_states_expiry").on(table.expiresAt),
    // A session keeps its newest ten.
    index("oauth_states_by_session").on(table.tokenHash),
  ],
);

/** The accounts of a login, until the person has chosen which to connect. */
export const connectChoicesTable = sqliteTable(
  "connect_choices",
  {
    tokenHash: text("token_hash").notNull(),
    platform: text("platform").$type<PlatformName>().notNull(),
    browserHash: text("browser_hash").notNull(),
    /** Sealed: the accounts with their credentials. */
    sealed: text("sealed").notNull(),
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tokenHash, table.platform] }),
    index("connect_choices_expiry").on(table.expiresAt),
  ],
);
