CREATE TABLE `recurring` (
	`key` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`due_at` integer NOT NULL,
	`interval_ms` integer NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `recurring_due` ON `recurring` (`due_at`);--> statement-breakpoint
DROP INDEX `jobs_awaited`;--> statement-breakpoint
DROP INDEX `jobs_leased`;--> statement-breakpoint
DROP INDEX `jobs_unsent`;--> statement-breakpoint
ALTER TABLE `jobs` ADD `queue` text DEFAULT 'publish' NOT NULL;--> statement-breakpoint
ALTER TABLE `jobs` ADD `held_at` integer;--> statement-breakpoint
CREATE INDEX `jobs_in_flight` ON `jobs` (`queue`,`project_id`,`message_at`) WHERE state = 'open' AND message_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `jobs_held` ON `jobs` (`queue`,`project_id`,`run_at`) WHERE state = 'open' AND held_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `jobs_unsent` ON `jobs` (`run_at`) WHERE state = 'open' AND message_at IS NULL AND held_at IS NULL;--> statement-breakpoint
DROP INDEX `posts_by_type`;--> statement-breakpoint
ALTER TABLE `posts` ADD `processing_at` integer;--> statement-breakpoint
CREATE INDEX `posts_by_type` ON `posts` (`project_id`,`channel_type`,`id`) WHERE deleted_at IS NULL;--> statement-breakpoint
PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_events` (
	`id` integer PRIMARY KEY NOT NULL,
	`project_id` integer NOT NULL,
	`subject` text NOT NULL,
	`subject_id` integer NOT NULL,
	`type` text NOT NULL,
	`message` text NOT NULL,
	`detail` text,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
INSERT INTO `__new_events`("id", "project_id", "subject", "subject_id", "type", "message", "detail", "created_at") SELECT "id", "project_id", "subject", "subject_id", "type", "message", "detail", "created_at" FROM `events`;--> statement-breakpoint
DROP TABLE `events`;--> statement-breakpoint
ALTER TABLE `__new_events` RENAME TO `events`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
CREATE INDEX `events_by_subject` ON `events` (`subject`,`subject_id`,`id`);--> statement-breakpoint
ALTER TABLE `job_steps` ADD `tries` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `job_steps` ADD `gave_up` text;