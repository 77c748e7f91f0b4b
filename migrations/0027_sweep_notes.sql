CREATE TABLE `sweep_notes` (
	`name` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
);
--> statement-breakpoint
DROP INDEX `jobs_finished`;--> statement-breakpoint
CREATE INDEX `jobs_finished` ON `jobs` (`queue`,`finished_at`) WHERE state = 'done';