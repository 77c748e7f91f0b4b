DROP TRIGGER campaigns_counted;--> statement-breakpoint
DROP TRIGGER campaigns_counted_on_change;--> statement-breakpoint
ALTER TABLE `campaigns` DROP COLUMN `committed`;--> statement-breakpoint
ALTER TABLE `campaigns` ADD `is_being_replaced` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `campaigns` ADD `committed` integer GENERATED ALWAYS AS (max(spend_minor, min(coalesce(accepted_most_minor, 9e15),
  spend_minor + CASE WHEN goal = 'running' AND terms ->> 'budgetType' = 'daily'
  AND (is_being_replaced OR applied ->> 'budgetType' <> terms ->> 'budgetType' OR applied ->> 'objective' <> terms ->> 'objective') THEN wanted_left_minor + live_left_minor
    ELSE max(wanted_left_minor, live_left_minor) END))) VIRTUAL;--> statement-breakpoint
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
