CREATE TABLE `publications` (
	`post_id` integer NOT NULL,
	`item` integer NOT NULL,
	`platform` text NOT NULL,
	`account_id` text NOT NULL,
	`platform_id` text,
	`fingerprint` text,
	`begun_at` integer NOT NULL,
	PRIMARY KEY(`post_id`, `item`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `publications_by_id` ON `publications` (`platform`,`platform_id`) WHERE platform_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `publications_by_account` ON `publications` (`platform`,`account_id`,`begun_at`);--> statement-breakpoint
DROP INDEX `jobs_due`;--> statement-breakpoint
DROP INDEX `jobs_deadline`;--> statement-breakpoint
ALTER TABLE `jobs` ADD `message_at` integer;--> statement-breakpoint
ALTER TABLE `jobs` ADD `arrived_at` integer;--> statement-breakpoint
ALTER TABLE `jobs` ADD `journal_version` integer;--> statement-breakpoint
CREATE INDEX `jobs_unsent` ON `jobs` (`run_at`) WHERE state = 'open' AND message_at IS NULL AND lease_until IS NULL;--> statement-breakpoint
CREATE INDEX `jobs_awaited` ON `jobs` (`message_at`) WHERE state = 'open' AND message_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `jobs_leased` ON `jobs` (`lease_until`) WHERE state = 'open' AND lease_until IS NOT NULL;--> statement-breakpoint
DROP INDEX `posts_published`;--> statement-breakpoint
DROP INDEX `posts_by_platform_id`;--> statement-breakpoint
ALTER TABLE `posts` ADD `revision` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `posts` ADD `removal` text;--> statement-breakpoint
ALTER TABLE `posts` ADD `deleted_at` integer;--> statement-breakpoint
CREATE INDEX `posts_to_remove` ON `posts` (`channel_id`) WHERE removal IN ('open', 'given_up');--> statement-breakpoint
CREATE INDEX `posts_deleted` ON `posts` (`deleted_at`) WHERE deleted_at IS NOT NULL;--> statement-breakpoint
ALTER TABLE `channels` ADD `credentials_key` text;--> statement-breakpoint
CREATE INDEX `channels_by_key` ON `channels` (`credentials_key`) WHERE credentials_key IS NOT NULL;
--> statement-breakpoint
UPDATE `channels` SET `credentials_key` = substr(`credentials`, 1, instr(`credentials`, '.') - 1) WHERE `credentials` IS NOT NULL;--> statement-breakpoint
UPDATE `posts` SET `deleted_at` = `updated_at` WHERE `state` = 'deleted';--> statement-breakpoint
-- What is live already, and what deliveries under way have made public or may have.
INSERT OR IGNORE INTO `publications` (`post_id`, `item`, `platform`, `account_id`, `platform_id`, `begun_at`)
SELECT p.`id`, live.`key`, p.`channel_type`, c.`account_id`, live.`value` ->> 'id', coalesce(p.`published_at`, p.`updated_at`)
FROM `posts` p JOIN `channels` c ON c.`id` = p.`channel_id`, json_each(p.`platform_posts`) live;--> statement-breakpoint
INSERT OR IGNORE INTO `publications` (`post_id`, `item`, `platform`, `account_id`, `platform_id`, `begun_at`)
SELECT p.`id`, CAST(substr(s.`name`, 8) AS INTEGER), p.`channel_type`, c.`account_id`,
  CASE s.`state` WHEN 'done' THEN s.`result` -> 'post' ->> 'id' END, s.`begun_at`
FROM `job_steps` s JOIN `jobs` j ON j.`key` = s.`job_key` JOIN `posts` p ON p.`id` = j.`subject_id`
  JOIN `channels` c ON c.`id` = p.`channel_id`
WHERE j.`kind` = 'publish' AND s.`name` LIKE 'commit:%';
