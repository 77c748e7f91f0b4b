CREATE TABLE `projects` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`name` text NOT NULL,
	`time_zone` text DEFAULT 'UTC' NOT NULL,
	`is_test` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `projects_by_name` ON `projects` (`user_id`,`name`);--> statement-breakpoint
CREATE TABLE `tokens` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`name` text NOT NULL,
	`hash` text NOT NULL,
	`hint` text NOT NULL,
	`permissions` text NOT NULL,
	`expires_at` integer,
	`created_at` integer NOT NULL,
	`revoked_at` integer,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tokens_hash_unique` ON `tokens` (`hash`);--> statement-breakpoint
CREATE INDEX `tokens_by_project` ON `tokens` (`project_id`,`id`);--> statement-breakpoint
CREATE TABLE `users` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`email` text NOT NULL,
	`name` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_email_unique` ON `users` (`email`);--> statement-breakpoint
CREATE TABLE `channels` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`user_ref` text NOT NULL,
	`platform` text NOT NULL,
	`account_id` text NOT NULL,
	`name` text NOT NULL,
	`username` text,
	`picture_url` text,
	`attributes` text NOT NULL,
	`credentials` text,
	`credentials_expire_at` integer,
	`refresh_due_at` integer,
	`refresh_lease_until` integer,
	`refresh_attempts` integer DEFAULT 0 NOT NULL,
	`health` text NOT NULL,
	`health_reason` text,
	`slots` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`disconnected_at` integer,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `channels_by_account` ON `channels` (`project_id`,`platform`,`account_id`);--> statement-breakpoint
CREATE INDEX `channels_refresh_due` ON `channels` (`refresh_due_at`) WHERE "channels"."refresh_due_at" IS NOT NULL;--> statement-breakpoint
CREATE TABLE `connect_choices` (
	`token_hash` text NOT NULL,
	`platform` text NOT NULL,
	`browser_hash` text NOT NULL,
	`sealed` text NOT NULL,
	`expires_at` integer NOT NULL,
	PRIMARY KEY(`token_hash`, `platform`)
);
--> statement-breakpoint
CREATE INDEX `connect_choices_expiry` ON `connect_choices` (`expires_at`);--> statement-breakpoint
CREATE TABLE `connect_sessions` (
	`token_hash` text PRIMARY KEY NOT NULL,
	`project_id` integer NOT NULL,
	`status` text NOT NULL,
	`remaining` text NOT NULL,
	`connected` text NOT NULL,
	`message` text,
	`updated_at` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `connect_sessions_expiry` ON `connect_sessions` (`expires_at`);--> statement-breakpoint
CREATE TABLE `oauth_states` (
	`state_hash` text PRIMARY KEY NOT NULL,
	`token_hash` text NOT NULL,
	`platform` text NOT NULL,
	`browser_hash` text NOT NULL,
	`sealed` text NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `oauth_states_expiry` ON `oauth_states` (`expires_at`);--> statement-breakpoint
CREATE TABLE `events` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`subject` text NOT NULL,
	`subject_id` integer NOT NULL,
	`type` text NOT NULL,
	`message` text NOT NULL,
	`detail` text,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `events_by_subject` ON `events` (`subject`,`subject_id`,`id`);--> statement-breakpoint
CREATE TABLE `idempotency_keys` (
	`project_id` integer NOT NULL,
	`key` text NOT NULL,
	`request_hash` text NOT NULL,
	`answer` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`project_id`, `key`)
);
--> statement-breakpoint
CREATE INDEX `idempotency_by_age` ON `idempotency_keys` (`created_at`);--> statement-breakpoint
CREATE TABLE `job_steps` (
	`job_key` text NOT NULL,
	`name` text NOT NULL,
	`state` text NOT NULL,
	`result` text,
	`begun_at` integer NOT NULL,
	`acted_at` integer NOT NULL,
	`acts` integer DEFAULT 1 NOT NULL,
	`looks` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`job_key`, `name`)
);
--> statement-breakpoint
CREATE TABLE `jobs` (
	`key` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`project_id` integer NOT NULL,
	`subject_id` integer NOT NULL,
	`state` text NOT NULL,
	`run_at` integer NOT NULL,
	`sent_at` integer,
	`lease_owner` text,
	`lease_until` integer,
	`attempts` integer DEFAULT 0 NOT NULL,
	`deadline_at` integer NOT NULL,
	`waiting_for` text,
	`created_at` integer NOT NULL,
	`finished_at` integer
);
--> statement-breakpoint
CREATE INDEX `jobs_due` ON `jobs` (`run_at`) WHERE state = 'open';--> statement-breakpoint
CREATE INDEX `jobs_deadline` ON `jobs` (`deadline_at`) WHERE state = 'open';--> statement-breakpoint
CREATE INDEX `jobs_finished` ON `jobs` (`finished_at`) WHERE state = 'done';--> statement-breakpoint
CREATE TABLE `post_counts` (
	`project_id` integer PRIMARY KEY NOT NULL,
	`counts` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `posts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`channel_id` integer NOT NULL,
	`channel_type` text NOT NULL,
	`state` text NOT NULL,
	`post_type` text NOT NULL,
	`caption` text NOT NULL,
	`media_urls` text NOT NULL,
	`hash_tags` text NOT NULL,
	`thread` text NOT NULL,
	`extra` text,
	`publish_mode` text NOT NULL,
	`time_zone` text NOT NULL,
	`publish_at` integer NOT NULL,
	`slot_at` integer,
	`platform_post_id` text,
	`platform_posts` text NOT NULL,
	`permalink` text,
	`error` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`published_at` integer,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`channel_id`) REFERENCES `channels`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `posts_by_type_state` ON `posts` (`project_id`,`channel_type`,`state`,`id`);--> statement-breakpoint
CREATE INDEX `posts_by_type` ON `posts` (`project_id`,`channel_type`,`id`) WHERE state <> 'deleted';--> statement-breakpoint
CREATE INDEX `posts_by_state` ON `posts` (`project_id`,`state`,`id`) WHERE channel_type <> 'threads';--> statement-breakpoint
CREATE INDEX `posts_upcoming` ON `posts` (`project_id`,`publish_at`,`id`) WHERE state IN ('scheduled', 'queued');--> statement-breakpoint
CREATE UNIQUE INDEX `posts_slot` ON `posts` (`channel_id`,`slot_at`) WHERE slot_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `posts_published` ON `posts` (`channel_id`,`published_at`) WHERE published_at IS NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `posts_by_platform_id` ON `posts` (`channel_id`,`platform_post_id`) WHERE platform_post_id IS NOT NULL;