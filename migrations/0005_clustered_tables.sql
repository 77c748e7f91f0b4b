-- Tables that are found by their key are clustered by it: a row is written once, not in a table and in the index of its key.
-- WITHOUT ROWID cannot be told in src/*/table.ts; what is there is the same otherwise.
CREATE TABLE `__clustered_jobs` (
	`key` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`queue` text DEFAULT 'publish' NOT NULL,
	`project_id` integer NOT NULL,
	`subject_id` integer NOT NULL,
	`state` text NOT NULL,
	`run_at` integer NOT NULL,
	`sent_at` integer,
	`message_at` integer,
	`held_at` integer,
	`arrived_at` integer,
	`lease_owner` text,
	`lease_until` integer,
	`attempts` integer DEFAULT 0 NOT NULL,
	`deadline_at` integer NOT NULL,
	`waiting_for` text,
	`journal_version` integer,
	`created_at` integer NOT NULL,
	`finished_at` integer
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `__clustered_jobs` (`key`, `kind`, `queue`, `project_id`, `subject_id`, `state`, `run_at`, `sent_at`, `message_at`, `held_at`, `arrived_at`, `lease_owner`, `lease_until`, `attempts`, `deadline_at`, `waiting_for`, `journal_version`, `created_at`, `finished_at`)
SELECT `key`, `kind`, `queue`, `project_id`, `subject_id`, `state`, `run_at`, `sent_at`, `message_at`, `held_at`, `arrived_at`, `lease_owner`, `lease_until`, `attempts`, `deadline_at`, `waiting_for`, `journal_version`, `created_at`, `finished_at` FROM `jobs`;
--> statement-breakpoint
DROP TABLE `jobs`;
--> statement-breakpoint
ALTER TABLE `__clustered_jobs` RENAME TO `jobs`;
--> statement-breakpoint
CREATE INDEX `jobs_finished` ON `jobs` (`finished_at`) WHERE state = 'done';
--> statement-breakpoint
CREATE INDEX `jobs_in_flight` ON `jobs` (`queue`,`project_id`,`message_at`) WHERE state = 'open' AND message_at IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `jobs_held` ON `jobs` (`queue`,`project_id`,`run_at`) WHERE state = 'open' AND held_at IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `jobs_unsent` ON `jobs` (`run_at`) WHERE state = 'open' AND message_at IS NULL AND held_at IS NULL;
--> statement-breakpoint
CREATE TABLE `__clustered_job_steps` (
	`job_key` text NOT NULL,
	`name` text NOT NULL,
	`state` text NOT NULL,
	`result` text,
	`begun_at` integer NOT NULL,
	`acted_at` integer NOT NULL,
	`acts` integer DEFAULT 1 NOT NULL,
	`looks` integer DEFAULT 0 NOT NULL,
	`tries` integer DEFAULT 0 NOT NULL,
	`gave_up` text,
	PRIMARY KEY(`job_key`, `name`)
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `__clustered_job_steps` (`job_key`, `name`, `state`, `result`, `begun_at`, `acted_at`, `acts`, `looks`, `tries`, `gave_up`)
SELECT `job_key`, `name`, `state`, `result`, `begun_at`, `acted_at`, `acts`, `looks`, `tries`, `gave_up` FROM `job_steps`;
--> statement-breakpoint
DROP TABLE `job_steps`;
--> statement-breakpoint
ALTER TABLE `__clustered_job_steps` RENAME TO `job_steps`;
--> statement-breakpoint
CREATE TABLE `__clustered_publications` (
	`post_id` integer NOT NULL,
	`item` integer NOT NULL,
	`platform` text NOT NULL,
	`account_id` text NOT NULL,
	`platform_id` text,
	`fingerprint` text,
	`begun_at` integer NOT NULL,
	PRIMARY KEY(`post_id`, `item`)
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `__clustered_publications` (`post_id`, `item`, `platform`, `account_id`, `platform_id`, `fingerprint`, `begun_at`)
SELECT `post_id`, `item`, `platform`, `account_id`, `platform_id`, `fingerprint`, `begun_at` FROM `publications`;
--> statement-breakpoint
DROP TABLE `publications`;
--> statement-breakpoint
ALTER TABLE `__clustered_publications` RENAME TO `publications`;
--> statement-breakpoint
CREATE UNIQUE INDEX `publications_by_id` ON `publications` (`platform`,`platform_id`) WHERE platform_id IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `publications_by_account` ON `publications` (`platform`,`account_id`,`begun_at`);
--> statement-breakpoint
CREATE TABLE `__clustered_recurring` (
	`key` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`due_at` integer NOT NULL,
	`interval_ms` integer NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `__clustered_recurring` (`key`, `kind`, `due_at`, `interval_ms`, `failures`, `created_at`)
SELECT `key`, `kind`, `due_at`, `interval_ms`, `failures`, `created_at` FROM `recurring`;
--> statement-breakpoint
DROP TABLE `recurring`;
--> statement-breakpoint
ALTER TABLE `__clustered_recurring` RENAME TO `recurring`;
--> statement-breakpoint
CREATE INDEX `recurring_due` ON `recurring` (`due_at`);
--> statement-breakpoint
-- One write a change: a post leaves the count of one state and enters that of another, in the same row.
DROP TRIGGER `posts_counted_on_change`;
--> statement-breakpoint
CREATE TRIGGER posts_counted_on_change AFTER UPDATE OF state ON posts
WHEN NEW.state <> OLD.state
BEGIN
  UPDATE post_counts SET counts = json_set(
    counts,
    '$."' || OLD.channel_type || '.' || OLD.state || '"',
    coalesce(json_extract(counts, '$."' || OLD.channel_type || '.' || OLD.state || '"'), 0) - (OLD.state <> 'deleted'),
    '$."' || NEW.channel_type || '.' || NEW.state || '"',
    coalesce(json_extract(counts, '$."' || NEW.channel_type || '.' || NEW.state || '"'), 0) + (NEW.state <> 'deleted')
  ) WHERE project_id = NEW.project_id;
END;
