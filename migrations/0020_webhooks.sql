-- Leaving events are found by their key, and clustered by it (WITHOUT ROWID).
CREATE TABLE `webhook_deliveries` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`webhook_id` integer,
	`event_id` integer,
	`message_id` text NOT NULL,
	`type` text NOT NULL,
	`url` text,
	`body` text,
	`about` text,
	`state` text NOT NULL,
	`attempts` integer NOT NULL,
	`next_at` integer,
	`tries` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `webhook_deliveries_listed` ON `webhook_deliveries` (`webhook_id`,`id`);--> statement-breakpoint
CREATE INDEX `webhook_deliveries_waiting` ON `webhook_deliveries` (`webhook_id`,`next_at`) WHERE state = 'waiting';--> statement-breakpoint
CREATE UNIQUE INDEX `webhook_deliveries_by_event` ON `webhook_deliveries` (`webhook_id`,`event_id`) WHERE event_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `webhook_deliveries_about` ON `webhook_deliveries` (`about`) WHERE about IS NOT NULL;--> statement-breakpoint
CREATE INDEX `webhook_deliveries_old` ON `webhook_deliveries` (`created_at`);--> statement-breakpoint
CREATE TABLE `leaving_events` (
	`project_id` integer NOT NULL,
	`event_id` integer NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`project_id`, `event_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `leaving_events_old` ON `leaving_events` (`created_at`);--> statement-breakpoint
CREATE TABLE `webhook_keys` (
	`project_id` integer PRIMARY KEY NOT NULL,
	`secret` text NOT NULL,
	`secret_key` text NOT NULL,
	`old_secret` text,
	`old_until` integer
);
--> statement-breakpoint
CREATE INDEX `webhook_keys_by_secret_key` ON `webhook_keys` (`secret_key`);--> statement-breakpoint
CREATE TABLE `webhooks` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`url` text NOT NULL,
	`description` text,
	`types` text,
	`state` text NOT NULL,
	`disabled_reason` text,
	`disabled_at` integer,
	`cursor` integer NOT NULL,
	`failing_since` integer,
	`secret` text NOT NULL,
	`secret_key` text NOT NULL,
	`old_secret` text,
	`old_until` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `webhooks_of_project` ON `webhooks` (`project_id`,`id`);--> statement-breakpoint
CREATE INDEX `webhooks_by_secret_key` ON `webhooks` (`secret_key`);
--> statement-breakpoint
-- What happens in a project that has webhooks is kept for them, and the tasks of those that are enabled begin. Others pay for a look.
CREATE TRIGGER events_leave AFTER INSERT ON events
WHEN EXISTS (SELECT 1 FROM webhooks WHERE project_id = NEW.project_id) BEGIN
  INSERT INTO leaving_events (project_id, event_id, created_at) VALUES (NEW.project_id, NEW.id, NEW.created_at);
  INSERT INTO recurring (key, kind, due_at, interval_ms, failures, created_at)
  SELECT 'hooks:' || id, 'hooks', NEW.created_at, 60000, 0, NEW.created_at FROM webhooks
  WHERE project_id = NEW.project_id AND state = 'enabled'
  -- A task that is there ends only when it has seen what is new.
  ON CONFLICT (key) DO NOTHING;
END;
