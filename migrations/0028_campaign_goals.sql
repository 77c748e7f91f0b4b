DROP TRIGGER campaigns_counted;--> statement-breakpoint
DROP TRIGGER campaigns_counted_on_change;--> statement-breakpoint
DROP INDEX `campaigns_unended`;--> statement-breakpoint
ALTER TABLE `campaigns` ADD `goal` text DEFAULT 'running' NOT NULL;--> statement-breakpoint
ALTER TABLE `campaigns` ADD `changed_at` integer;--> statement-breakpoint
ALTER TABLE `campaigns` ADD `is_reverting` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `campaigns` ADD `live_revision` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `campaigns` ADD `live_total_minor` integer;--> statement-breakpoint
ALTER TABLE `campaigns` ADD `live_day_minor` integer;--> statement-breakpoint
ALTER TABLE `campaigns` ADD `live_end_at` integer;--> statement-breakpoint
ALTER TABLE `campaigns` ADD `day_factor` real DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE `campaigns` ADD `generation` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `campaigns` ADD `generation_start_at` integer;--> statement-breakpoint
ALTER TABLE `campaigns` ADD `activating_at` integer;--> statement-breakpoint
ALTER TABLE `campaigns` ADD `activated_at` integer;--> statement-breakpoint
ALTER TABLE `campaigns` ADD `earlier` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `campaigns` ADD `earlier_spend_minor` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `campaigns` ADD `spend_at` integer;--> statement-breakpoint
ALTER TABLE `campaigns` ADD `wanted_days_left` integer GENERATED ALWAYS AS (CASE WHEN start_at IS NULL THEN (terms ->> 'days') + 1
  ELSE coalesce(max(0, ((start_at + (terms ->> 'days') * 86400000) - coalesce(spend_at, start_at) + 86400000 - 1) / 86400000 + ((start_at + (terms ->> 'days') * 86400000) > coalesce(spend_at, start_at))), 0) END) VIRTUAL;--> statement-breakpoint
ALTER TABLE `campaigns` ADD `live_days_left` integer GENERATED ALWAYS AS (coalesce(max(0, (live_end_at - coalesce(spend_at, start_at) + 86400000 - 1) / 86400000 + (live_end_at > coalesce(spend_at, start_at))), 0)) VIRTUAL;--> statement-breakpoint
ALTER TABLE `campaigns` ADD `committed` integer GENERATED ALWAYS AS (spend_minor + max(
  CASE WHEN goal <> 'running' THEN 0
    WHEN terms ->> 'budgetType' = 'lifetime' THEN max(0, (terms ->> 'budgetMinor') - spend_minor)
    ELSE CAST((terms ->> 'budgetMinor') * CASE WHEN wanted_days_left <= CAST(7 / day_factor + 0.999 AS INTEGER) THEN min(wanted_days_left * day_factor, 7)
    ELSE 7 + 7 * ((wanted_days_left - CAST(7 / day_factor + 0.999 AS INTEGER)) / 7) + min((wanted_days_left - CAST(7 / day_factor + 0.999 AS INTEGER)) % 7 * day_factor, 7) END + 0.999999 AS INTEGER) END,
  max(0, coalesce(live_total_minor, 0) - (spend_minor - earlier_spend_minor)),
  CAST(coalesce(live_day_minor, 0) * CASE WHEN live_days_left <= CAST(7 / day_factor + 0.999 AS INTEGER) THEN min(live_days_left * day_factor, 7)
    ELSE 7 + 7 * ((live_days_left - CAST(7 / day_factor + 0.999 AS INTEGER)) / 7) + min((live_days_left - CAST(7 / day_factor + 0.999 AS INTEGER)) % 7 * day_factor, 7) END + 0.999999 AS INTEGER))) VIRTUAL;--> statement-breakpoint
ALTER TABLE `campaigns` ADD `ended_at` integer;--> statement-breakpoint
CREATE INDEX `campaigns_open` ON `campaigns` (`channel_id`) WHERE ended_at IS NULL;--> statement-breakpoint
ALTER TABLE `jobs` ADD `woken_at` integer;--> statement-breakpoint
ALTER TABLE `campaigns` DROP COLUMN `committed_minor`;--> statement-breakpoint
-- What campaigns of the first release have come to, in the words of this one. Those whose job had begun an act go on with its journal.
UPDATE campaigns SET
  goal = CASE WHEN deleted_at IS NOT NULL THEN 'deleted' WHEN state IN ('completed', 'failed') THEN state ELSE 'running' END,
  live_revision = CASE WHEN applied IS NULL OR applied = terms THEN revision ELSE revision - 1 END,
  day_factor = CASE WHEN platform IN ('facebook', 'instagram') THEN 1.75 ELSE 1 END,
  generation_start_at = start_at,
  spend_at = CASE WHEN start_at IS NOT NULL THEN max(start_at, updated_at) END,
  activating_at = CASE WHEN applied IS NOT NULL OR state = 'creating' THEN start_at END,
  activated_at = CASE WHEN applied IS NOT NULL THEN start_at END,
  ended_at = CASE WHEN deleted_at IS NULL AND (state = 'completed' OR state = 'failed' AND made = '{}')
    OR deleted_at IS NOT NULL AND EXISTS (SELECT 1 FROM events WHERE events.subject = 'campaign'
      AND events.subject_id = campaigns.id AND events.type = 'campaign.removed') THEN updated_at END;--> statement-breakpoint
UPDATE campaigns SET applied = terms WHERE applied IS NULL AND start_at IS NOT NULL;--> statement-breakpoint
UPDATE campaigns SET
  live_total_minor = CASE WHEN applied ->> 'budgetType' = 'lifetime' THEN applied ->> 'budgetMinor' END,
  live_day_minor = CASE WHEN applied ->> 'budgetType' = 'daily' THEN applied ->> 'budgetMinor' END,
  live_end_at = start_at + (applied ->> 'days') * 86400000
WHERE ended_at IS NULL AND applied IS NOT NULL;--> statement-breakpoint
INSERT INTO jobs (key, kind, queue, project_id, subject_id, state, run_at, deadline_at, attempts, created_at, journal_version)
SELECT 'campaign:' || id, 'campaign', 'campaigns', project_id, id, 'open', updated_at, 253370764800000, 0, updated_at, 1
FROM campaigns WHERE ended_at IS NULL OR ended_at > (SELECT max(updated_at) FROM campaigns) - 259200000;--> statement-breakpoint
UPDATE job_steps SET job_key = 'campaign:' || substr(job_key, 7), name = 'make:0:' || substr(name, 6)
WHERE job_key LIKE 'boost:%' AND name LIKE 'make:%';--> statement-breakpoint
DELETE FROM job_steps WHERE job_key LIKE 'boost:%' OR job_key LIKE 'reboost:%' OR job_key LIKE 'unboost:%';--> statement-breakpoint
DELETE FROM jobs WHERE kind IN ('boost', 'reboost', 'unboost');--> statement-breakpoint
DELETE FROM recurring WHERE kind = 'campaign';--> statement-breakpoint
DELETE FROM campaign_totals;--> statement-breakpoint
INSERT INTO campaign_totals (project_id, currency, decimals, campaigns, reach, impressions, spend_minor, committed_minor)
SELECT project_id, currency, max(decimals), sum(deleted_at IS NULL), sum(iif(deleted_at IS NULL, reach, 0)),
  sum(iif(deleted_at IS NULL, impressions, 0)), sum(iif(deleted_at IS NULL, spend_minor, 0)), sum(committed)
FROM campaigns GROUP BY project_id, currency;--> statement-breakpoint
CREATE TRIGGER campaigns_counted AFTER INSERT ON campaigns BEGIN
  INSERT INTO campaign_totals (project_id, currency, decimals, campaigns, reach, impressions, spend_minor, committed_minor)
  VALUES (NEW.project_id, NEW.currency, NEW.decimals, 1, NEW.reach, NEW.impressions, NEW.spend_minor, NEW.committed)
  ON CONFLICT (project_id, currency) DO UPDATE SET campaigns = campaigns + 1, reach = reach + NEW.reach,
    impressions = impressions + NEW.impressions, spend_minor = spend_minor + NEW.spend_minor,
    committed_minor = committed_minor + NEW.committed;
END;
--> statement-breakpoint
-- What is deleted is counted no more, but for what it costs.
CREATE TRIGGER campaigns_counted_on_change AFTER UPDATE ON campaigns
WHEN NEW.committed <> OLD.committed OR NEW.spend_minor <> OLD.spend_minor OR NEW.reach <> OLD.reach
  OR NEW.impressions <> OLD.impressions OR NEW.deleted_at IS NOT OLD.deleted_at BEGIN
  UPDATE campaign_totals SET
    campaigns = campaigns + (NEW.deleted_at IS NULL) - (OLD.deleted_at IS NULL),
    reach = reach + iif(NEW.deleted_at IS NULL, NEW.reach, 0) - iif(OLD.deleted_at IS NULL, OLD.reach, 0),
    impressions = impressions + iif(NEW.deleted_at IS NULL, NEW.impressions, 0) - iif(OLD.deleted_at IS NULL, OLD.impressions, 0),
    spend_minor = spend_minor + iif(NEW.deleted_at IS NULL, NEW.spend_minor, 0) - iif(OLD.deleted_at IS NULL, OLD.spend_minor, 0),
    committed_minor = committed_minor + NEW.committed - OLD.committed
  WHERE project_id = NEW.project_id AND currency = NEW.currency;
END;
