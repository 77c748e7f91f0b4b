DROP INDEX `files_to_forget`;--> statement-breakpoint
CREATE INDEX `files_to_forget` ON `files` (`project_id`,`forget_at`) WHERE forget_at IS NOT NULL;--> statement-breakpoint
ALTER TABLE `replied_authors` ADD `answered_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `replied_authors_answered` ON `replied_authors` (`answered_at`);--> statement-breakpoint
CREATE INDEX `generations_ended` ON `generations` (`ended_at`) WHERE deleted_at IS NULL AND ended_at IS NOT NULL;--> statement-breakpoint
-- When those from before were answered is not known: they live a year from here on.
UPDATE `replied_authors` SET `answered_at` = unixepoch() * 1000;
