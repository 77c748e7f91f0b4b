DROP TRIGGER events_leave;--> statement-breakpoint
DROP TABLE `leaving_events`;--> statement-breakpoint
DROP INDEX `webhook_deliveries_waiting`;--> statement-breakpoint
ALTER TABLE `webhooks` ADD `starts_after` integer NOT NULL DEFAULT 0;--> statement-breakpoint
ALTER TABLE `webhooks` DROP COLUMN `cursor`;--> statement-breakpoint
ALTER TABLE `events` ADD `outbox` text;--> statement-breakpoint
CREATE INDEX `events_pending` ON `events` (`project_id`,`id`) WHERE outbox = 'pending';--> statement-breakpoint
CREATE INDEX `events_for_webhooks` ON `events` (`project_id`,`id`) WHERE outbox IS NOT NULL;