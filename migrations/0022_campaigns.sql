CREATE TABLE `campaign_totals` (
	`project_id` integer NOT NULL,
	`currency` text NOT NULL,
	`decimals` integer NOT NULL,
	`campaigns` integer NOT NULL,
	`reach` integer NOT NULL,
	`impressions` integer NOT NULL,
	`spend_minor` integer NOT NULL,
	`committed_minor` integer NOT NULL,
	PRIMARY KEY(`project_id`, `currency`)
);
--> statement-breakpoint
CREATE TABLE `campaigns` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`post_id` integer NOT NULL,
	`channel_id` integer NOT NULL,
	`platform` text NOT NULL,
	`name` text NOT NULL,
	`boost_type` text,
	`state` text NOT NULL,
	`terms` text NOT NULL,
	`applied` text,
	`currency` text NOT NULL,
	`decimals` integer NOT NULL,
	`reference` text NOT NULL,
	`made` text NOT NULL,
	`reason` text,
	`error_code` text,
	`reach` integer DEFAULT 0 NOT NULL,
	`impressions` integer DEFAULT 0 NOT NULL,
	`spend_minor` integer DEFAULT 0 NOT NULL,
	`committed_minor` integer NOT NULL,
	`revision` integer DEFAULT 0 NOT NULL,
	`start_at` integer,
	`live_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`deleted_at` integer,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `campaigns_by_reference` ON `campaigns` (`reference`);--> statement-breakpoint
CREATE INDEX `campaigns_listed` ON `campaigns` (`project_id`,`id`) WHERE deleted_at IS NULL;--> statement-breakpoint
CREATE INDEX `campaigns_by_post` ON `campaigns` (`post_id`);--> statement-breakpoint
CREATE INDEX `campaigns_deleted` ON `campaigns` (`deleted_at`) WHERE deleted_at IS NOT NULL;--> statement-breakpoint
CREATE TABLE `spend_ceilings` (
	`project_id` integer NOT NULL,
	`currency` text NOT NULL,
	`most_minor` integer NOT NULL,
	PRIMARY KEY(`project_id`, `currency`)
);

--> statement-breakpoint
CREATE TRIGGER campaigns_counted AFTER INSERT ON campaigns BEGIN
  INSERT INTO campaign_totals (project_id, currency, decimals, campaigns, reach, impressions, spend_minor, committed_minor)
  VALUES (NEW.project_id, NEW.currency, NEW.decimals, 1, NEW.reach, NEW.impressions, NEW.spend_minor, NEW.committed_minor)
  ON CONFLICT (project_id, currency) DO UPDATE SET campaigns = campaigns + 1, reach = reach + NEW.reach,
    impressions = impressions + NEW.impressions, spend_minor = spend_minor + NEW.spend_minor,
    committed_minor = committed_minor + NEW.committed_minor;
END;
--> statement-breakpoint
-- What is deleted is counted no more, but for what it costs.
CREATE TRIGGER campaigns_counted_on_change AFTER UPDATE OF reach, impressions, spend_minor, committed_minor, deleted_at ON campaigns BEGIN
  UPDATE campaign_totals SET
    campaigns = campaigns + (NEW.deleted_at IS NULL) - (OLD.deleted_at IS NULL),
    reach = reach + iif(NEW.deleted_at IS NULL, NEW.reach, 0) - iif(OLD.deleted_at IS NULL, OLD.reach, 0),
    impressions = impressions + iif(NEW.deleted_at IS NULL, NEW.impressions, 0) - iif(OLD.deleted_at IS NULL, OLD.impressions, 0),
    spend_minor = spend_minor + iif(NEW.deleted_at IS NULL, NEW.spend_minor, 0) - iif(OLD.deleted_at IS NULL, OLD.spend_minor, 0),
    committed_minor = committed_minor + NEW.committed_minor - OLD.committed_minor
  WHERE project_id = NEW.project_id AND currency = NEW.currency;
END;
