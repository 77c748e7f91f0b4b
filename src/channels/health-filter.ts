import { type SQL, sql } from "drizzle-orm";
import { type Capability, PLATFORM_NAMES } from "../platforms/names.ts";
import { capabilityRules, ENDING_MS } from "./health.ts";
import type { ChannelHealth } from "./table.ts";

/**
 * The health of a row of `channels` for a capability at `now`, as `healthOf` tells it: the same rules, from the same
 * adapters, in SQL, but for what an account can never do. test/channels/list.ts holds the two together. Reads the one grant
 * by which the capability acts.
 */
export function healthInSql(capability: Capability, now: number): SQL<ChannelHealth> {
  const rules = JSON.stringify(rulesByPlatform(capability));
  const needed = sql`json_extract(${rules}, '$.' || channels.platform || '.scopes')`;
  // A channel whose adapter is gone needs no scopes, and its grant has the capability's name.
  const purpose = sql`coalesce(json_extract(${rules}, '$.' || channels.platform || '.grant'), ${capability})`;
  const lacksScope = sql`g.scopes IS NOT NULL AND EXISTS (SELECT 1 FROM json_each(${needed}) AS needed
    WHERE needed.value NOT IN (SELECT had.value FROM json_each(g.scopes) AS had))`;
  const end = sql`CASE WHEN g.refresh_due_at IS NOT NULL THEN max(g.ends_at, coalesce(g.expires_at, 0))
    ELSE min(coalesce(g.expires_at, g.ends_at), coalesce(g.ends_at, g.expires_at)) END`;
  const isEnding = sql`coalesce(${end} - ${now} < ${ENDING_MS}, 0)`;
  return sql<ChannelHealth>`coalesce((SELECT CASE
    WHEN g.health = 'reconnect_needed' OR g.stopped ->> ${capability} IS NOT NULL OR (${lacksScope}) THEN 'reconnect_needed'
    WHEN ${isEnding} THEN 'expiring' ELSE g.health END
    FROM grants AS g WHERE g.channel_id = channels.id AND g.purpose = ${purpose}), 'reconnect_needed')`;
}

function rulesByPlatform(capability: Capability) {
  return Object.fromEntries(
    PLATFORM_NAMES.flatMap((name) => {
      const rules = capabilityRules(name, capability);
      return rules ? [[name, { grant: rules.grant, scopes: rules.scopes }]] : [];
    }),
  );
}
