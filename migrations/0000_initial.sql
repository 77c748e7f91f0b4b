CREATE TABLE `spending_requests` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`token_id` integer NOT NULL,
	`terms_hash` text NOT NULL,
	`question` text NOT NULL,
	`terms` text NOT NULL,
	`state` text NOT NULL,
	`answered_by` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `spending_requests_by_terms` ON `spending_requests` (`project_id`,`terms_hash`);
--> statement-breakpoint
CREATE INDEX `spending_requests_open` ON `spending_requests` (`project_id`,`expires_at`);
--> statement-breakpoint
CREATE INDEX `spending_requests_expiry` ON `spending_requests` (`expires_at`);--> statement-breakpoint
CREATE TABLE `access_requests` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`kind` text NOT NULL,
	`state` text NOT NULL,
	`page_hash` text,
	`user_code_hash` text,
	`code_hash` text,
	`client_hash` text NOT NULL,
	`client_name` text NOT NULL,
	`redirect_uri` text,
	`client_state` text,
	`code_challenge` text,
	`requested` text NOT NULL,
	`network` text NOT NULL,
	`region` text NOT NULL,
	`origin` text NOT NULL,
	`person_id` integer,
	`project_id` integer,
	`created_by` text,
	`permissions` text,
	`token_expires_at` integer,
	`token_id` integer,
	`polled_at` integer,
	`interval_seconds` integer NOT NULL,
	`is_too_soon` integer NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL
);--> statement-breakpoint
CREATE UNIQUE INDEX `access_requests_page_hash_unique` ON `access_requests` (`page_hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `access_requests_user_code_hash_unique` ON `access_requests` (`user_code_hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `access_requests_code_hash_unique` ON `access_requests` (`code_hash`);--> statement-breakpoint
CREATE INDEX `access_requests_by_network` ON `access_requests` (`network`,`created_at`);--> statement-breakpoint
CREATE INDEX `access_requests_by_region` ON `access_requests` (`region`,`created_at`);--> statement-breakpoint
CREATE INDEX `access_requests_expiry` ON `access_requests` (`expires_at`);--> statement-breakpoint
CREATE TABLE `projects` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`name` text NOT NULL,
	`time_zone` text DEFAULT 'UTC' NOT NULL,
	`is_test` integer NOT NULL,
	`created_at` integer NOT NULL,
	`database` integer DEFAULT 0 NOT NULL,
	`copy_due` integer,
	`deleting_at` integer,
	`moving_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `projects_named` ON `projects` (`name`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `projects_by_name` ON `projects` (`user_id`,`name`);--> statement-breakpoint
CREATE INDEX `projects_to_copy` ON `projects` (`id`) WHERE copy_due IS NOT NULL;--> statement-breakpoint
CREATE INDEX `projects_moving` ON `projects` (`id`) WHERE moving_at IS NOT NULL;--> statement-breakpoint
CREATE TABLE `tokens` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`name` text NOT NULL,
	`hash` text NOT NULL,
	`hint` text NOT NULL,
	`checksum_key` text NOT NULL,
	`permissions` text NOT NULL,
	`expires_at` integer,
	`created_at` integer NOT NULL,
	`created_by` text,
	`via` text DEFAULT 'console' NOT NULL,
	`money_needs_person` integer DEFAULT false NOT NULL,
	`last_used_at` integer,
	`revoked_at` integer,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tokens_hash_unique` ON `tokens` (`hash`);--> statement-breakpoint
CREATE INDEX `tokens_by_checksum_key` ON `tokens` (`checksum_key`) WHERE revoked_at IS NULL;--> statement-breakpoint
CREATE INDEX `tokens_by_project` ON `tokens` (`project_id`,`id`);--> statement-breakpoint
CREATE INDEX `tokens_revoked` ON `tokens` (`revoked_at`) WHERE revoked_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `tokens_expired` ON `tokens` (`expires_at`) WHERE expires_at IS NOT NULL;--> statement-breakpoint
CREATE TABLE `users` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`email` text NOT NULL,
	`name` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_email_unique` ON `users` (`email`);--> statement-breakpoint
CREATE TABLE `automation_counts` (
	`project_id` integer PRIMARY KEY NOT NULL,
	`automations` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `automation_targets` (
	`channel_id` integer NOT NULL,
	`post_id` integer NOT NULL,
	`automation_id` integer NOT NULL,
	PRIMARY KEY(`channel_id`, `post_id`, `automation_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `automation_targets_of` ON `automation_targets` (`automation_id`);--> statement-breakpoint
CREATE TABLE `automations` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`name` text NOT NULL,
	`state` text NOT NULL,
	`channel_ids` text NOT NULL,
	`target_type` text NOT NULL,
	`post_ids` text,
	`campaign_ids` text,
	`trigger_type` text NOT NULL,
	`keywords` text,
	`response_type` text NOT NULL,
	`comment_reply` text,
	`direct_message` text,
	`response_time` text NOT NULL,
	`delay_seconds` integer NOT NULL,
	`frequency` text NOT NULL,
	`uses_ai` integer NOT NULL,
	`ai_settings` text,
	`active_since` integer NOT NULL,
	`revision` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`deleted_at` integer
);
--> statement-breakpoint
CREATE INDEX `automations_listed` ON `automations` (`project_id`,`id`) WHERE deleted_at IS NULL;--> statement-breakpoint
CREATE INDEX `automations_deleted` ON `automations` (`deleted_at`) WHERE deleted_at IS NOT NULL;--> statement-breakpoint
CREATE TABLE `comments` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`channel_id` integer NOT NULL,
	`post_id` integer NOT NULL,
	`comment_id` text NOT NULL,
	`author_id` text,
	`author_name` text,
	`text` text NOT NULL,
	`is_top_level` integer DEFAULT true NOT NULL,
	`created_at` integer NOT NULL,
	`seen_at` integer NOT NULL,
	`answered_at` integer,
	`urgency` integer,
	`hidden_at` integer,
	`liked_at` integer,
	`deleted_at` integer,
	`closed_at` integer,
	`done_at` integer,
	`assigned_to` text,
	`note` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `comments_by_platform_id` ON `comments` (`post_id`,`comment_id`);--> statement-breakpoint
CREATE INDEX `comments_listed` ON `comments` (`project_id`,`urgency`,`id`) WHERE urgency IS NOT NULL;--> statement-breakpoint
CREATE INDEX `comments_of_channel` ON `comments` (`project_id`,`channel_id`,`urgency`,`id`) WHERE urgency IS NOT NULL;--> statement-breakpoint
CREATE INDEX `comments_of_post` ON `comments` (`project_id`,`post_id`,`urgency`,`id`) WHERE urgency IS NOT NULL;--> statement-breakpoint
CREATE INDEX `comments_own` ON `comments` (`post_id`,`id`) WHERE urgency IS NULL;--> statement-breakpoint
CREATE INDEX `comments_own_of_channel` ON `comments` (`channel_id`,`id`) WHERE urgency IS NULL;--> statement-breakpoint
CREATE INDEX `comments_assigned` ON `comments` (`project_id`,`assigned_to`,`urgency`,`id`) WHERE assigned_to IS NOT NULL;--> statement-breakpoint
CREATE TABLE `replied_authors` (
	`automation_id` integer NOT NULL,
	`author_id` text NOT NULL,
	`post_id` integer NOT NULL,
	`comment_id` text NOT NULL,
	`answered_at` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`automation_id`, `author_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `replied_authors_answered` ON `replied_authors` (`answered_at`);--> statement-breakpoint
CREATE TABLE `replies` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`automation_id` integer NOT NULL,
	`project_id` integer NOT NULL,
	`post_id` integer NOT NULL,
	`comment_id` text NOT NULL,
	`outcome` text NOT NULL,
	`reason` text,
	`message` text NOT NULL,
	`keyword` text,
	`comment_part` text,
	`message_part` text,
	`due_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `replies_by_comment` ON `replies` (`post_id`,`comment_id`,`automation_id`);--> statement-breakpoint
CREATE INDEX `replies_listed` ON `replies` (`automation_id`,`id`);--> statement-breakpoint
CREATE INDEX `replies_waiting` ON `replies` (`automation_id`) WHERE outcome = 'waiting';--> statement-breakpoint
CREATE TABLE `campaign_days` (
	`campaign_id` integer NOT NULL,
	`day` text NOT NULL,
	`reach` integer NOT NULL,
	`impressions` integer NOT NULL,
	`spend_minor` integer NOT NULL,
	PRIMARY KEY(`campaign_id`, `day`)
) WITHOUT ROWID;
--> statement-breakpoint
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
	`goal` text DEFAULT 'running' NOT NULL,
	`terms` text NOT NULL,
	`revision` integer DEFAULT 0 NOT NULL,
	`changed_at` integer,
	`is_reverting` integer DEFAULT false NOT NULL,
	`applied` text,
	`live_revision` integer DEFAULT 0 NOT NULL,
	`live_total_minor` integer,
	`live_day_minor` integer,
	`live_end_at` integer,
	`peak_day_minor` integer,
	`peak_at` integer,
	`accepted_most_minor` integer,
	`day_factor` real DEFAULT 1 NOT NULL,
	`currency` text NOT NULL,
	`decimals` integer NOT NULL,
	`reference` text NOT NULL,
	`generation` integer DEFAULT 0 NOT NULL,
	`is_being_replaced` integer DEFAULT false NOT NULL,
	`made` text NOT NULL,
	`generation_start_at` integer,
	`activating_at` integer,
	`activated_at` integer,
	`earlier` text DEFAULT '[]' NOT NULL,
	`earlier_spend_minor` integer DEFAULT 0 NOT NULL,
	`reason` text,
	`error_code` text,
	`reach` integer DEFAULT 0 NOT NULL,
	`impressions` integer DEFAULT 0 NOT NULL,
	`spend_minor` integer DEFAULT 0 NOT NULL,
	`spend_at` integer,
	`wanted_days_left` integer GENERATED ALWAYS AS (CASE WHEN start_at IS NULL THEN (terms ->> 'days') + 1
  ELSE coalesce(max(0, ((start_at + (terms ->> 'days') * 86400000) - coalesce(spend_at, start_at) + 86400000 - 1) / 86400000 + ((start_at + (terms ->> 'days') * 86400000) > coalesce(spend_at, start_at))), 0) END) VIRTUAL,
	`live_days_left` integer GENERATED ALWAYS AS (coalesce(max(0, (live_end_at - coalesce(spend_at, start_at) + 86400000 - 1) / 86400000 + (live_end_at > coalesce(spend_at, start_at))), 0)) VIRTUAL,
	`peak_days_left` integer GENERATED ALWAYS AS (CASE WHEN peak_at + 90000000 > coalesce(spend_at, start_at)
  THEN 1 + max(0, (peak_at - coalesce(spend_at, start_at) + 86400000 - 1) / 86400000) ELSE 0 END) VIRTUAL,
	`wanted_left_minor` integer GENERATED ALWAYS AS (CASE WHEN goal <> 'running' THEN 0
    WHEN terms ->> 'budgetType' = 'lifetime' THEN max(0, (terms ->> 'budgetMinor') - spend_minor)
    ELSE min(CAST(max((terms ->> 'budgetMinor'), coalesce(peak_day_minor, 0)) * CASE WHEN wanted_days_left <= CAST(7 / day_factor + 0.999 AS INTEGER) THEN min(wanted_days_left * day_factor, 7)
    ELSE 7 + 7 * ((wanted_days_left - CAST(7 / day_factor + 0.999 AS INTEGER)) / 7) + min((wanted_days_left - CAST(7 / day_factor + 0.999 AS INTEGER)) % 7 * day_factor, 7) END + 0.999999 AS INTEGER), CAST(max((terms ->> 'budgetMinor'), coalesce(peak_day_minor, 0)) * CASE WHEN min(peak_days_left, wanted_days_left) <= CAST(7 / day_factor + 0.999 AS INTEGER) THEN min(min(peak_days_left, wanted_days_left) * day_factor, 7)
    ELSE 7 + 7 * ((min(peak_days_left, wanted_days_left) - CAST(7 / day_factor + 0.999 AS INTEGER)) / 7) + min((min(peak_days_left, wanted_days_left) - CAST(7 / day_factor + 0.999 AS INTEGER)) % 7 * day_factor, 7) END + 0.999999 AS INTEGER) + CAST((terms ->> 'budgetMinor') * CASE WHEN (wanted_days_left - min(peak_days_left, wanted_days_left)) <= CAST(7 / day_factor + 0.999 AS INTEGER) THEN min((wanted_days_left - min(peak_days_left, wanted_days_left)) * day_factor, 7)
    ELSE 7 + 7 * (((wanted_days_left - min(peak_days_left, wanted_days_left)) - CAST(7 / day_factor + 0.999 AS INTEGER)) / 7) + min(((wanted_days_left - min(peak_days_left, wanted_days_left)) - CAST(7 / day_factor + 0.999 AS INTEGER)) % 7 * day_factor, 7) END + 0.999999 AS INTEGER)) END) VIRTUAL,
	`live_left_minor` integer GENERATED ALWAYS AS (max(max(0, coalesce(live_total_minor, 0) - (spend_minor - earlier_spend_minor)),
  min(CAST(max(coalesce(live_day_minor, 0), coalesce(peak_day_minor, 0)) * CASE WHEN live_days_left <= CAST(7 / day_factor + 0.999 AS INTEGER) THEN min(live_days_left * day_factor, 7)
    ELSE 7 + 7 * ((live_days_left - CAST(7 / day_factor + 0.999 AS INTEGER)) / 7) + min((live_days_left - CAST(7 / day_factor + 0.999 AS INTEGER)) % 7 * day_factor, 7) END + 0.999999 AS INTEGER), CAST(max(coalesce(live_day_minor, 0), coalesce(peak_day_minor, 0)) * CASE WHEN min(peak_days_left, live_days_left) <= CAST(7 / day_factor + 0.999 AS INTEGER) THEN min(min(peak_days_left, live_days_left) * day_factor, 7)
    ELSE 7 + 7 * ((min(peak_days_left, live_days_left) - CAST(7 / day_factor + 0.999 AS INTEGER)) / 7) + min((min(peak_days_left, live_days_left) - CAST(7 / day_factor + 0.999 AS INTEGER)) % 7 * day_factor, 7) END + 0.999999 AS INTEGER) + CAST(coalesce(live_day_minor, 0) * CASE WHEN (live_days_left - min(peak_days_left, live_days_left)) <= CAST(7 / day_factor + 0.999 AS INTEGER) THEN min((live_days_left - min(peak_days_left, live_days_left)) * day_factor, 7)
    ELSE 7 + 7 * (((live_days_left - min(peak_days_left, live_days_left)) - CAST(7 / day_factor + 0.999 AS INTEGER)) / 7) + min(((live_days_left - min(peak_days_left, live_days_left)) - CAST(7 / day_factor + 0.999 AS INTEGER)) % 7 * day_factor, 7) END + 0.999999 AS INTEGER)))) VIRTUAL,
	`committed` integer GENERATED ALWAYS AS (max(spend_minor, min(coalesce(accepted_most_minor, 9e15),
  spend_minor + CASE WHEN goal = 'running' AND terms ->> 'budgetType' = 'daily'
  AND (is_being_replaced OR applied ->> 'budgetType' <> terms ->> 'budgetType' OR applied ->> 'objective' <> terms ->> 'objective') THEN wanted_left_minor + live_left_minor
    ELSE max(wanted_left_minor, live_left_minor) END))) VIRTUAL,
	`start_at` integer,
	`live_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`deleted_at` integer,
	`ended_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `campaigns_by_reference` ON `campaigns` (`reference`);--> statement-breakpoint
CREATE INDEX `campaigns_listed` ON `campaigns` (`project_id`,`id`) WHERE deleted_at IS NULL;--> statement-breakpoint
CREATE INDEX `campaigns_by_post` ON `campaigns` (`post_id`);--> statement-breakpoint
CREATE INDEX `campaigns_open` ON `campaigns` (`channel_id`) WHERE ended_at IS NULL;--> statement-breakpoint
CREATE INDEX `campaigns_unended` ON `campaigns` (`project_id`,`id`) WHERE ended_at IS NULL;--> statement-breakpoint
CREATE INDEX `campaigns_deleted` ON `campaigns` (`deleted_at`) WHERE deleted_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `campaigns_refused` ON `campaigns` (`project_id`,`updated_at`) WHERE deleted_at IS NULL AND state IN ('rejected', 'failed');--> statement-breakpoint
CREATE TABLE `series` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`name` text NOT NULL,
	`state` text NOT NULL,
	`post` text NOT NULL,
	`variants` text DEFAULT '[]' NOT NULL,
	`rule` text NOT NULL,
	`start_time` text NOT NULL,
	`time_zone` text NOT NULL,
	`next_at` integer,
	`next_local` text,
	`made` integer DEFAULT 0 NOT NULL,
	`skipped` integer DEFAULT 0 NOT NULL,
	`last_post_id` integer,
	`revision` integer DEFAULT 0 NOT NULL,
	`wait_reason` text,
	`pause_code` text,
	`pause_reason` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `series_listed` ON `series` (`project_id`,`id`);--> statement-breakpoint
CREATE TABLE `spend_ceilings` (
	`project_id` integer NOT NULL,
	`currency` text NOT NULL,
	`most_minor` integer NOT NULL,
	PRIMARY KEY(`project_id`, `currency`)
);
--> statement-breakpoint
CREATE TABLE `channel_counts` (
	`project_id` integer NOT NULL,
	`user_ref` text NOT NULL,
	`counts` text NOT NULL,
	PRIMARY KEY(`project_id`, `user_ref`)
);
--> statement-breakpoint
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
	`slots` text,
	`slots_zone` text,
	`queue_paused_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`disconnected_at` integer,
	`paid_insights_at` integer,
	`messages_since` integer,
	`databases` integer DEFAULT 1 NOT NULL,
	`marked_health` text DEFAULT 'reconnect_needed' NOT NULL,
	`expiring_at` integer,
	`collects_comments_at` integer,
	`page_sizes` text,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `channels_by_account` ON `channels` (`project_id`,`platform`,`account_id`);--> statement-breakpoint
CREATE INDEX `channels_by_platform` ON `channels` (`project_id`,`platform`,`marked_health`,`id`,`expiring_at`) WHERE disconnected_at IS NULL;--> statement-breakpoint
CREATE INDEX `channels_of_user` ON `channels` (`project_id`,`user_ref`,`platform`,`marked_health`,`id`,`expiring_at`) WHERE disconnected_at IS NULL;--> statement-breakpoint
CREATE INDEX `channels_turning` ON `channels` (`project_id`,`expiring_at`) WHERE marked_health = 'connected' AND expiring_at IS NOT NULL AND disconnected_at IS NULL;--> statement-breakpoint
CREATE INDEX `channels_turned` ON `channels` (`expiring_at`) WHERE marked_health = 'connected' AND expiring_at IS NOT NULL AND disconnected_at IS NULL;--> statement-breakpoint
CREATE INDEX `channels_by_user` ON `channels` (`project_id`,`user_ref`);--> statement-breakpoint
CREATE INDEX `channels_of_account` ON `channels` (`platform`,`account_id`);--> statement-breakpoint
CREATE TABLE `comment_acts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`comment_id` integer NOT NULL,
	`kind` text NOT NULL,
	`text` text,
	`state` text NOT NULL,
	`reason` text,
	`message` text NOT NULL,
	`platform_id` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `comment_acts_of` ON `comment_acts` (`comment_id`,`id`);--> statement-breakpoint
CREATE TABLE `grants` (
	`channel_id` integer NOT NULL,
	`purpose` text NOT NULL,
	`credentials` text,
	`credentials_key` text,
	`scopes` text,
	`expires_at` integer,
	`reconnect_by` integer,
	`expiry_notified_at` integer,
	`login` text,
	`logged_in_at` integer DEFAULT 0 NOT NULL,
	`refresh_due_at` integer,
	`refresh_lease_until` integer,
	`refresh_attempts` integer DEFAULT 0 NOT NULL,
	`version` integer NOT NULL,
	`stored_at` integer NOT NULL,
	`stored_by` text NOT NULL,
	`health` text NOT NULL,
	`health_reason` text,
	`stopped` text NOT NULL,
	PRIMARY KEY(`channel_id`, `purpose`),
	FOREIGN KEY (`channel_id`) REFERENCES `channels`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `grants_by_key` ON `grants` (`credentials_key`) WHERE credentials_key IS NOT NULL;--> statement-breakpoint
CREATE INDEX `grants_by_login` ON `grants` (`login`) WHERE login IS NOT NULL;--> statement-breakpoint
CREATE INDEX `grants_of_unknown_login` ON `grants` (`channel_id`) WHERE login IS NULL AND credentials IS NOT NULL;--> statement-breakpoint
CREATE TABLE `rate_leases` (
	`bucket` text NOT NULL,
	`database` integer NOT NULL,
	`serial` integer NOT NULL,
	`acts` integer NOT NULL,
	`used` integer NOT NULL,
	`until` integer NOT NULL,
	`is_closed` integer NOT NULL,
	`apart_ms` integer NOT NULL,
	`at_once` integer NOT NULL,
	`life_ms` integer NOT NULL,
	PRIMARY KEY(`bucket`, `database`)
);
--> statement-breakpoint
CREATE INDEX `rate_leases_held` ON `rate_leases` (`until`) WHERE acts > 0;--> statement-breakpoint
CREATE TABLE `rate_limits` (
	`platform` text NOT NULL,
	`account_id` text NOT NULL,
	`is_test` integer NOT NULL,
	`act` text NOT NULL,
	`since` integer NOT NULL,
	`until` integer NOT NULL,
	`message` text NOT NULL,
	PRIMARY KEY(`platform`, `account_id`, `is_test`, `act`)
);
--> statement-breakpoint
CREATE INDEX `rate_limits_expired` ON `rate_limits` (`until`);--> statement-breakpoint
CREATE TABLE `missed_rules` (
	`platform` text NOT NULL,
	`operation` text NOT NULL,
	`code` text NOT NULL,
	`platform_code` text NOT NULL,
	`words` text NOT NULL,
	`count` integer NOT NULL,
	`first_at` integer NOT NULL,
	`last_at` integer NOT NULL,
	PRIMARY KEY(`platform`, `operation`, `code`, `platform_code`, `words`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `missed_rules_last` ON `missed_rules` (`last_at`);--> statement-breakpoint
CREATE TABLE `operator_alerts` (
	`way` text NOT NULL,
	`kind` text NOT NULL,
	`subject` text NOT NULL,
	`first_at` integer NOT NULL,
	`last_at` integer NOT NULL,
	`due_at` integer,
	`notified_at` integer,
	PRIMARY KEY(`way`, `kind`, `subject`)
);
--> statement-breakpoint
CREATE INDEX `operator_alerts_due` ON `operator_alerts` (`way`,`due_at`) WHERE due_at IS NOT NULL;--> statement-breakpoint
CREATE TABLE `rate_buckets` (
	`key` text PRIMARY KEY NOT NULL,
	`full_at` integer NOT NULL,
	`apart_ms` integer NOT NULL,
	`at_once` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `rate_buckets_full` ON `rate_buckets` (`full_at`);--> statement-breakpoint
CREATE TABLE `rate_waits` (
	`bucket` text NOT NULL,
	`waiter` text NOT NULL,
	`party` text NOT NULL,
	`place` integer NOT NULL,
	`since` integer NOT NULL,
	`granted_at` integer,
	PRIMARY KEY(`bucket`, `waiter`)
);
--> statement-breakpoint
CREATE INDEX `rate_waits_in_turn` ON `rate_waits` (`bucket`,`place`,`since`);--> statement-breakpoint
CREATE INDEX `rate_waits_of_party` ON `rate_waits` (`bucket`,`party`,`place`);--> statement-breakpoint
CREATE TABLE `account_databases` (
	`platform` text NOT NULL,
	`account_id` text NOT NULL,
	`database` integer NOT NULL,
	PRIMARY KEY(`platform`, `account_id`, `database`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `conversations` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`channel_id` integer NOT NULL,
	`platform` text NOT NULL,
	`person_id` text NOT NULL,
	`person_name` text,
	`priority` integer NOT NULL,
	`last_message_at` integer NOT NULL,
	`last_inbound_at` integer,
	`done_at` integer,
	`assigned_to` text,
	`note` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`channel_id`) REFERENCES `channels`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `conversations_by_person` ON `conversations` (`channel_id`,`person_id`);--> statement-breakpoint
CREATE INDEX `conversations_listed` ON `conversations` (`project_id`,`priority`,`last_message_at`,`id`);--> statement-breakpoint
CREATE INDEX `conversations_of_channel` ON `conversations` (`channel_id`,`priority`,`last_message_at`,`id`);--> statement-breakpoint
CREATE INDEX `conversations_age` ON `conversations` (`last_message_at`);--> statement-breakpoint
CREATE TABLE `direct_messages` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`conversation_id` integer NOT NULL,
	`platform_id` text,
	`origin` text NOT NULL,
	`state` text NOT NULL,
	`text` text NOT NULL,
	`attachments` text NOT NULL,
	`is_typed` integer NOT NULL,
	`reason` text,
	`error_code` text,
	`is_announced` integer NOT NULL,
	`sent_at` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `direct_messages_by_platform_id` ON `direct_messages` (`conversation_id`,`platform_id`) WHERE platform_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `direct_messages_listed` ON `direct_messages` (`conversation_id`,`sent_at`,`id`);--> statement-breakpoint
CREATE INDEX `direct_messages_age` ON `direct_messages` (`sent_at`);--> statement-breakpoint
CREATE TABLE `channel_insights` (
	`project_id` integer NOT NULL,
	`channel_id` integer NOT NULL,
	`day` text NOT NULL,
	`numbers` text NOT NULL,
	PRIMARY KEY(`project_id`, `channel_id`, `day`),
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `channel_insights_age` ON `channel_insights` (`day`);--> statement-breakpoint
CREATE TABLE `post_insights` (
	`post_id` integer PRIMARY KEY NOT NULL,
	`project_id` integer NOT NULL,
	`channel_id` integer NOT NULL,
	`platform` text NOT NULL,
	`post_type` text NOT NULL,
	`items` text NOT NULL,
	`published_at` integer NOT NULL,
	`observed_at` integer,
	`due_at` integer,
	`numbers` text,
	`days` text DEFAULT '[]' NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`channel_id`) REFERENCES `channels`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `post_insights_due` ON `post_insights` (`channel_id`,`due_at`) WHERE due_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `post_insights_by_time` ON `post_insights` (`project_id`,`published_at`);--> statement-breakpoint
CREATE INDEX `post_insights_of_channel` ON `post_insights` (`channel_id`,`published_at`);--> statement-breakpoint
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
CREATE INDEX `connect_sessions_open` ON `connect_sessions` (`project_id`,`expires_at`) WHERE status <> 'success';--> statement-breakpoint
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
CREATE INDEX `oauth_states_by_session` ON `oauth_states` (`token_hash`);--> statement-breakpoint
CREATE TABLE `deauthorizations` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`platform` text NOT NULL,
	`app` text NOT NULL,
	`is_test` integer NOT NULL,
	`digest` text NOT NULL,
	`code` text NOT NULL,
	`user_id` text,
	`issued_at` integer NOT NULL,
	`received_at` integer NOT NULL,
	`done_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `deauthorizations_by_digest` ON `deauthorizations` (`digest`);--> statement-breakpoint
CREATE UNIQUE INDEX `deauthorizations_by_code` ON `deauthorizations` (`code`);--> statement-breakpoint
CREATE INDEX `deauthorizations_age` ON `deauthorizations` (`received_at`) WHERE done_at IS NOT NULL;--> statement-breakpoint
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
CREATE INDEX `webhook_deliveries_by_state` ON `webhook_deliveries` (`webhook_id`,`state`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `webhook_deliveries_by_event` ON `webhook_deliveries` (`webhook_id`,`event_id`) WHERE event_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `webhook_deliveries_about` ON `webhook_deliveries` (`about`) WHERE about IS NOT NULL;--> statement-breakpoint
CREATE INDEX `webhook_deliveries_old` ON `webhook_deliveries` (`created_at`);--> statement-breakpoint
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
	`events_per_request` integer DEFAULT 1 NOT NULL,
	`state` text NOT NULL,
	`disabled_reason` text,
	`disabled_at` integer,
	`starts_after` integer NOT NULL,
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
CREATE INDEX `webhooks_enabled` ON `webhooks` (`project_id`) WHERE state = 'enabled';--> statement-breakpoint
CREATE INDEX `webhooks_by_secret_key` ON `webhooks` (`secret_key`);--> statement-breakpoint
CREATE TABLE `events` (
	`id` integer NOT NULL,
	`project_id` integer NOT NULL,
	`subject` text NOT NULL,
	`subject_id` integer NOT NULL,
	`type` text NOT NULL,
	`message` text NOT NULL,
	`detail` text,
	`created_at` integer NOT NULL,
	`outbox` text,
	PRIMARY KEY(`subject`, `subject_id`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `events_pending` ON `events` (`project_id`,`id`) WHERE outbox = 'pending';--> statement-breakpoint
CREATE UNIQUE INDEX `events_for_webhooks` ON `events` (`project_id`,`id`) WHERE outbox IS NOT NULL;--> statement-breakpoint
CREATE TABLE `file_bytes` (
	`project_id` integer PRIMARY KEY NOT NULL,
	`bytes` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `file_parts` (
	`file_id` integer NOT NULL,
	`number` integer NOT NULL,
	`etag` text NOT NULL,
	PRIMARY KEY(`file_id`, `number`)
);
--> statement-breakpoint
CREATE TABLE `file_uses` (
	`file_id` integer NOT NULL,
	`post_id` integer NOT NULL,
	PRIMARY KEY(`post_id`, `file_id`)
);
--> statement-breakpoint
CREATE INDEX `file_uses_by_file` ON `file_uses` (`file_id`);--> statement-breakpoint
CREATE TABLE `files` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`name` text NOT NULL,
	`bytes` integer NOT NULL,
	`upload_id` text,
	`media` text,
	`is_copy` integer DEFAULT false NOT NULL,
	`is_generated` integer DEFAULT false NOT NULL,
	`generation_id` integer,
	`rendition_of` text,
	`fitted_from` text,
	`fit_rule` text,
	`maker_job` text,
	`maker_until` integer,
	`library` text,
	`search_text` text,
	`created_at` integer NOT NULL,
	`forget_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `files_by_name` ON `files` (`name`);--> statement-breakpoint
CREATE INDEX `files_to_forget` ON `files` (`project_id`,`forget_at`) WHERE forget_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `files_under_way` ON `files` (`project_id`) WHERE media IS NULL AND is_copy = 0 AND fitted_from IS NULL AND bytes > 0;--> statement-breakpoint
CREATE INDEX `files_of_generation` ON `files` (`generation_id`) WHERE generation_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `files_in_library` ON `files` (`project_id`,`id`) WHERE library IS NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `files_by_original` ON `files` (`rendition_of`) WHERE rendition_of IS NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `files_fitted` ON `files` (`fitted_from`,`fit_rule`,`project_id`) WHERE fitted_from IS NOT NULL;--> statement-breakpoint
CREATE TABLE `generation_days` (
	`project_id` integer PRIMARY KEY NOT NULL,
	`day` integer NOT NULL,
	`begun` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `generations` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`uuid` text NOT NULL,
	`project_id` integer NOT NULL,
	`type` text NOT NULL,
	`input` text NOT NULL,
	`platforms` text,
	`web_hook` text,
	`origin` text NOT NULL,
	`state` text NOT NULL,
	`caption` text DEFAULT '' NOT NULL,
	`files` text NOT NULL,
	`error` text,
	`error_code` text,
	`created_at` integer NOT NULL,
	`ended_at` integer,
	`deleted_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `generations_by_uuid` ON `generations` (`uuid`);--> statement-breakpoint
CREATE INDEX `generations_listed` ON `generations` (`project_id`,`id`) WHERE deleted_at IS NULL;--> statement-breakpoint
CREATE INDEX `generations_ended` ON `generations` (`ended_at`) WHERE deleted_at IS NULL AND ended_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `generations_deleted` ON `generations` (`deleted_at`) WHERE deleted_at IS NOT NULL;--> statement-breakpoint
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
CREATE TABLE `feeds` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`name` text NOT NULL,
	`url` text NOT NULL,
	`state` text NOT NULL,
	`publish_mode` text NOT NULL,
	`posts` text NOT NULL,
	`include_existing` integer,
	`seen` text,
	`revision` integer DEFAULT 0 NOT NULL,
	`etag` text,
	`last_modified` text,
	`read_at` integer,
	`problem` text,
	`failures` integer DEFAULT 0 NOT NULL,
	`posted` integer DEFAULT 0 NOT NULL,
	`refused` integer DEFAULT 0 NOT NULL,
	`refusals` integer DEFAULT 0 NOT NULL,
	`stop_reason` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `feeds_listed` ON `feeds` (`project_id`,`id`);--> statement-breakpoint
CREATE TABLE `import_parts` (
	`import_id` integer NOT NULL,
	`part` integer NOT NULL,
	`project_id` integer NOT NULL,
	`rows` text NOT NULL,
	PRIMARY KEY(`import_id`, `part`)
);
--> statement-breakpoint
CREATE INDEX `import_parts_of_project` ON `import_parts` (`project_id`);--> statement-breakpoint
CREATE TABLE `imports` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`state` text NOT NULL,
	`rows` integer DEFAULT 0 NOT NULL,
	`refused` integer DEFAULT 0 NOT NULL,
	`parts` integer DEFAULT 0 NOT NULL,
	`bytes` integer DEFAULT 0 NOT NULL,
	`next_part` integer DEFAULT 0 NOT NULL,
	`created` integer DEFAULT 0 NOT NULL,
	`failed` integer DEFAULT 0 NOT NULL,
	`post_ids` text DEFAULT '[]' NOT NULL,
	`content_hash` text,
	`encoding` text,
	`failed_rows` text DEFAULT '[]' NOT NULL,
	`wait` text,
	`problems` text DEFAULT '[]' NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `imports_listed` ON `imports` (`project_id`,`id`);--> statement-breakpoint
CREATE INDEX `imports_open` ON `imports` (`project_id`) WHERE state <> 'done';--> statement-breakpoint
CREATE INDEX `imports_by_content` ON `imports` (`project_id`,`content_hash`) WHERE content_hash IS NOT NULL;--> statement-breakpoint
CREATE TABLE `job_steps` (
	`job_key` text NOT NULL,
	`name` text NOT NULL,
	`state` text NOT NULL,
	`result` text,
	`begun_at` integer NOT NULL,
	`attempted_at` integer NOT NULL,
	`attempts` integer DEFAULT 1 NOT NULL,
	`checks` integer DEFAULT 0 NOT NULL,
	`retries` integer DEFAULT 0 NOT NULL,
	`unresolved_reason` text,
	PRIMARY KEY(`job_key`, `name`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `job_steps_unconfirmed` ON `job_steps` (`name`,`job_key`) WHERE name = 'message' AND state IN ('begun', 'unknown', 'duplicate');--> statement-breakpoint
CREATE TABLE `jobs` (
	`key` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`queue` text DEFAULT 'publish' NOT NULL,
	`project_id` integer NOT NULL,
	`subject_id` integer NOT NULL,
	`state` text NOT NULL,
	`run_at` integer NOT NULL,
	`message_at` integer,
	`throttled_at` integer,
	`rerun_requested_at` integer,
	`arrived_at` integer,
	`lease_owner` text,
	`lease_until` integer,
	`attempts` integer DEFAULT 0 NOT NULL,
	`deadline_at` integer NOT NULL,
	`waiting_for` text,
	`resume_key` text,
	`last_shown_wait` text,
	`waiting_code` text,
	`journal_version` integer,
	`created_at` integer NOT NULL,
	`finished_at` integer
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `jobs_unsent` ON `jobs` (`run_at`) WHERE state = 'open' AND message_at IS NULL AND throttled_at IS NULL;--> statement-breakpoint
CREATE INDEX `jobs_in_flight` ON `jobs` (`queue`,`project_id`,`message_at`) WHERE state = 'open' AND message_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `jobs_throttled` ON `jobs` (`queue`,`project_id`,`run_at`) WHERE state = 'open' AND throttled_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `jobs_resumable` ON `jobs` (`resume_key`) WHERE state = 'open' AND resume_key IS NOT NULL;--> statement-breakpoint
CREATE INDEX `jobs_finished` ON `jobs` (`queue`,`finished_at`) WHERE state = 'done';--> statement-breakpoint
CREATE INDEX `jobs_blocked` ON `jobs` (`project_id`,`kind`,`subject_id`) WHERE state = 'open' AND waiting_code IS NOT NULL;--> statement-breakpoint
CREATE INDEX `jobs_failing` ON `jobs` (`key`) WHERE state = 'open' AND waiting_code = 'unexpected';--> statement-breakpoint
CREATE TABLE `recurring` (
	`key` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`due_at` integer NOT NULL,
	`interval_ms` integer NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	`state` text,
	`group_key` text,
	`turn` integer DEFAULT (abs(random() % 4503599627370496)) NOT NULL,
	`sent_at` integer,
	`ran_at` integer,
	`created_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `recurring_due` ON `recurring` (`kind`,`due_at`);--> statement-breakpoint
CREATE INDEX `recurring_by_group` ON `recurring` (`group_key`,`due_at`) WHERE group_key IS NOT NULL;--> statement-breakpoint
CREATE TABLE `sweep_notes` (
	`name` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `post_counts` (
	`project_id` integer PRIMARY KEY NOT NULL,
	`counts` text NOT NULL,
	`waiting` integer DEFAULT 0 NOT NULL,
	`bytes` integer DEFAULT 0 NOT NULL,
	`timelines_until` integer DEFAULT 0 NOT NULL,
	`rested_until` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE `posts` (
	`id` integer PRIMARY KEY NOT NULL,
	`project_id` integer NOT NULL,
	`channel_id` integer NOT NULL,
	`channel_type` text NOT NULL,
	`state` text NOT NULL,
	`post_type` text NOT NULL,
	`caption` text NOT NULL,
	`caption_hash` text,
	`media_urls` text NOT NULL,
	`alt_texts` text DEFAULT '[]' NOT NULL,
	`hash_tags` text NOT NULL,
	`thread` text NOT NULL,
	`extra` text,
	`declared` text DEFAULT '{}' NOT NULL,
	`has_generated_media` integer DEFAULT false NOT NULL,
	`options` text DEFAULT '{}' NOT NULL,
	`first_comment` text,
	`first_comment_result` text,
	`publish_mode` text NOT NULL,
	`time_zone` text NOT NULL,
	`processing_at` integer,
	`publish_at` integer NOT NULL,
	`slot_at` integer,
	`platform_posts` text NOT NULL,
	`permalink` text,
	`error` text,
	`error_code` text,
	`external_id` text,
	`metadata` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`published_at` integer,
	`tie_id` integer GENERATED ALWAYS AS (id) VIRTUAL,
	`revision` integer DEFAULT 0 NOT NULL,
	`removal` text,
	`deleted_at` integer,
	`approval_state` text,
	`approval` text,
	`handled_at` integer,
	`timeline_page` integer
);
--> statement-breakpoint
CREATE INDEX `posts_by_type` ON `posts` (`project_id`,`channel_type`,`created_at`,`tie_id`) WHERE deleted_at IS NULL;--> statement-breakpoint
CREATE INDEX `posts_by_type_state` ON `posts` (`project_id`,`channel_type`,`state`,`created_at`,`tie_id`) WHERE state IN ('draft', 'scheduled', 'queued', 'failed', 'published');--> statement-breakpoint
CREATE INDEX `posts_by_channel` ON `posts` (`channel_id`,`created_at`,`tie_id`) WHERE deleted_at IS NULL;--> statement-breakpoint
CREATE INDEX `posts_unpublished` ON `posts` (`channel_id`,`state`,`created_at`,`tie_id`) WHERE state IN ('draft', 'scheduled', 'queued', 'failed');--> statement-breakpoint
CREATE INDEX `posts_by_publication` ON `posts` (`project_id`,`channel_type`,`state`,`published_at`,`tie_id`) WHERE published_at IS NOT NULL AND deleted_at IS NULL;--> statement-breakpoint
CREATE INDEX `posts_by_external_id` ON `posts` (`project_id`,`external_id`,`created_at`,`tie_id`) WHERE external_id IS NOT NULL AND deleted_at IS NULL;--> statement-breakpoint
CREATE INDEX `posts_by_caption` ON `posts` (`channel_id`,`caption_hash`,`created_at`) WHERE caption_hash IS NOT NULL;--> statement-breakpoint
CREATE INDEX `posts_upcoming` ON `posts` (`project_id`,`publish_at`,`id`) WHERE state IN ('scheduled', 'queued');--> statement-breakpoint
CREATE UNIQUE INDEX `posts_slot` ON `posts` (`channel_id`,`slot_at`) WHERE slot_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `posts_queued` ON `posts` (`channel_id`,`slot_at`) WHERE state = 'queued';--> statement-breakpoint
CREATE INDEX `posts_to_remove` ON `posts` (`channel_id`) WHERE removal IN ('open', 'given_up');--> statement-breakpoint
CREATE INDEX `posts_deleted` ON `posts` (`deleted_at`) WHERE deleted_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `posts_awaiting_approval` ON `posts` (`project_id`,`id`) WHERE approval_state = 'waiting' AND deleted_at IS NULL;--> statement-breakpoint
CREATE INDEX `posts_unhandled` ON `posts` (`project_id`,`updated_at`) WHERE state = 'failed' AND handled_at IS NULL;--> statement-breakpoint
CREATE TABLE `posts_at_rest` (
	`id` integer PRIMARY KEY NOT NULL,
	`project_id` integer NOT NULL,
	`channel_id` integer NOT NULL,
	`type` integer NOT NULL,
	`created_at` integer NOT NULL,
	`published_at` integer NOT NULL,
	`page` integer NOT NULL,
	`timeline_page` integer,
	`mark` integer,
	`external_id` text,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`channel_id`) REFERENCES `channels`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `posts_at_rest_by_type` ON `posts_at_rest` (`project_id`,`type`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `posts_at_rest_by_channel` ON `posts_at_rest` (`channel_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `posts_at_rest_by_publication` ON `posts_at_rest` (`project_id`,`type`,`published_at`,`id`);--> statement-breakpoint
CREATE INDEX `posts_at_rest_by_external_id` ON `posts_at_rest` (`project_id`,`external_id`,`created_at`,`id`) WHERE external_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `posts_at_rest_by_mark` ON `posts_at_rest` (`mark`) WHERE mark IS NOT NULL;--> statement-breakpoint
CREATE TABLE `publications` (
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
CREATE UNIQUE INDEX `publications_by_id` ON `publications` (`platform`,`platform_id`) WHERE platform_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `publications_by_account` ON `publications` (`platform`,`account_id`,`begun_at`);--> statement-breakpoint
CREATE TABLE `adoptions` (
	`platform` text NOT NULL,
	`platform_id` text NOT NULL,
	`post_id` integer NOT NULL,
	`item` integer NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`platform`, `platform_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `adoptions_age` ON `adoptions` (`created_at`);--> statement-breakpoint
CREATE TABLE `post_costs` (
	`post_id` integer PRIMARY KEY NOT NULL,
	`lines` text NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `usage` (
	`project_id` integer NOT NULL,
	`month` text NOT NULL,
	`service` text NOT NULL,
	`micros` integer NOT NULL,
	`lines` text NOT NULL,
	PRIMARY KEY(`project_id`, `month`, `service`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `usage_by_month` ON `usage` (`month`);
--> statement-breakpoint
CREATE TABLE `allowances` (
	`key` text PRIMARY KEY NOT NULL,
	`used` integer NOT NULL,
	`ends_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `allowances_end` ON `allowances` (`ends_at`);--> statement-breakpoint
CREATE TABLE `cost_ceilings` (
	`project_id` integer PRIMARY KEY NOT NULL,
	`most_micros` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `cost_notices` (
	`project_id` integer NOT NULL,
	`month` text NOT NULL,
	`percent` integer NOT NULL,
	PRIMARY KEY(`project_id`, `month`, `percent`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `cost_notices_by_month` ON `cost_notices` (`month`);
--> statement-breakpoint
CREATE TABLE `invitations` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`hash` text NOT NULL,
	`project_id` integer NOT NULL,
	`email` text,
	`role` text NOT NULL,
	`invited_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE no action
);--> statement-breakpoint
CREATE UNIQUE INDEX `invitations_hash_unique` ON `invitations` (`hash`);--> statement-breakpoint
CREATE INDEX `invitations_by_project` ON `invitations` (`project_id`,`id`);--> statement-breakpoint
CREATE INDEX `invitations_by_email` ON `invitations` (`email`,`expires_at`);--> statement-breakpoint
CREATE INDEX `invitations_expiry` ON `invitations` (`expires_at`);--> statement-breakpoint
CREATE TABLE `memberships` (
	`person_id` integer NOT NULL,
	`project_id` integer NOT NULL,
	`role` text NOT NULL,
	`created_at` integer NOT NULL,
	`digest` text DEFAULT 'off' NOT NULL,
	`digest_sent_on` text,
	`digest_since` integer,
	`digest_refused_at` integer,
	PRIMARY KEY(`person_id`, `project_id`),
	FOREIGN KEY (`person_id`) REFERENCES `people`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE no action
);--> statement-breakpoint
CREATE INDEX `memberships_by_project` ON `memberships` (`project_id`,`person_id`);--> statement-breakpoint
CREATE TABLE `people` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`email` text NOT NULL,
	`language` text,
	`code_attempts` integer DEFAULT 0 NOT NULL,
	`code_attempts_since` integer,
	`created_at` integer NOT NULL
);--> statement-breakpoint
CREATE UNIQUE INDEX `people_email_unique` ON `people` (`email`);--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`hash` text NOT NULL,
	`person_id` integer NOT NULL,
	`device` text NOT NULL,
	`place` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`person_id`) REFERENCES `people`(`id`) ON UPDATE no action ON DELETE no action
);--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_hash_unique` ON `sessions` (`hash`);--> statement-breakpoint
CREATE INDEX `sessions_by_person` ON `sessions` (`person_id`,`id`);--> statement-breakpoint
CREATE INDEX `sessions_expiry` ON `sessions` (`expires_at`);--> statement-breakpoint
CREATE TABLE `sign_in_codes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`browser_hash` text NOT NULL,
	`email` text NOT NULL,
	`network` text NOT NULL,
	`site` text NOT NULL,
	`is_known` integer NOT NULL,
	`code_hash` text,
	`invitation_hash` text,
	`attempts` integer NOT NULL,
	`used_at` integer,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL
);--> statement-breakpoint
CREATE INDEX `sign_in_codes_by_browser` ON `sign_in_codes` (`browser_hash`,`id`);--> statement-breakpoint
CREATE INDEX `sign_in_codes_by_email` ON `sign_in_codes` (`email`,`created_at`);--> statement-breakpoint
CREATE INDEX `sign_in_codes_by_network` ON `sign_in_codes` (`network`,`created_at`);--> statement-breakpoint
CREATE INDEX `sign_in_codes_by_site` ON `sign_in_codes` (`site`,`created_at`);--> statement-breakpoint
CREATE INDEX `sign_in_codes_age` ON `sign_in_codes` (`created_at`);--> statement-breakpoint
CREATE TABLE `passkeys` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`person_id` integer NOT NULL,
	`credential_id` text NOT NULL,
	`public_key` text NOT NULL,
	`counter` integer NOT NULL,
	`name` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	FOREIGN KEY (`person_id`) REFERENCES `people`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `passkeys_credential_id_unique` ON `passkeys` (`credential_id`);--> statement-breakpoint
CREATE INDEX `passkeys_by_person` ON `passkeys` (`person_id`,`id`);--> statement-breakpoint
CREATE TABLE `used_challenges` (
	`hash` text PRIMARY KEY NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `used_challenges_expiry` ON `used_challenges` (`expires_at`);--> statement-breakpoint
CREATE TABLE `identities` (
	`issuer` text NOT NULL,
	`subject` text NOT NULL,
	`person_id` integer NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`issuer`, `subject`),
	FOREIGN KEY (`person_id`) REFERENCES `people`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `identities_by_person` ON `identities` (`person_id`,`issuer`);--> statement-breakpoint
CREATE TABLE `sign_in_links` (
	`hash` text PRIMARY KEY NOT NULL,
	`person_id` integer NOT NULL,
	`project_id` integer,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`person_id`) REFERENCES `people`(`id`) ON UPDATE no action ON DELETE no action
);--> statement-breakpoint
CREATE INDEX `sign_in_links_expiry` ON `sign_in_links` (`expires_at`);--> statement-breakpoint
CREATE INDEX `sign_in_links_of` ON `sign_in_links` (`person_id`);
--> statement-breakpoint
CREATE TABLE `archive_pages` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`name` text NOT NULL,
	`delete_at` integer NOT NULL,
	`stale_at` integer,
	`replay_from` integer,
	`replay_to` integer
);
--> statement-breakpoint
CREATE INDEX `archive_pages_to_delete` ON `archive_pages` (`delete_at`);--> statement-breakpoint
CREATE INDEX `archive_pages_stale` ON `archive_pages` (`stale_at`) WHERE stale_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `archive_pages_to_replay` ON `archive_pages` (`project_id`,`replay_from`) WHERE replay_from IS NOT NULL;--> statement-breakpoint
CREATE TABLE `audit_entries` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`at` integer NOT NULL,
	`source` text NOT NULL,
	`actor` text NOT NULL,
	`action` text NOT NULL,
	`path` text NOT NULL,
	`state` text DEFAULT 'begun' NOT NULL,
	`times` integer DEFAULT 1 NOT NULL,
	`folded` text,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE no action
);--> statement-breakpoint
CREATE UNIQUE INDEX `audit_entries_folded_unique` ON `audit_entries` (`folded`);--> statement-breakpoint
CREATE INDEX `audit_by_project` ON `audit_entries` (`project_id`,`id`);--> statement-breakpoint
CREATE INDEX `audit_age` ON `audit_entries` (`at`);--> statement-breakpoint
CREATE TABLE `brandings` (
	`project_id` integer PRIMARY KEY NOT NULL,
	`name` text,
	`color` text,
	`support` text,
	`return_label` text,
	`updated_at` integer NOT NULL,
	`logo_name` text,
	`logo` text,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE no action
);--> statement-breakpoint
CREATE INDEX `brandings_by_logo` ON `brandings` (`logo_name`);--> statement-breakpoint
CREATE TABLE `project_deletions` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`deleted_id` integer NOT NULL,
	`name` text NOT NULL,
	`requested_by` text,
	`requested_at` integer NOT NULL,
	`options` text NOT NULL,
	`step` text NOT NULL,
	`step_at` integer NOT NULL,
	`cursor` text,
	`gone` text NOT NULL,
	`remains` text NOT NULL,
	`completed_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `project_deletions_deleted_id_unique` ON `project_deletions` (`deleted_id`);--> statement-breakpoint
CREATE INDEX `project_deletions_by_person` ON `project_deletions` (`requested_by`) WHERE requested_by IS NOT NULL;--> statement-breakpoint
CREATE INDEX `project_deletions_completed` ON `project_deletions` (`completed_at`) WHERE completed_at IS NOT NULL;--> statement-breakpoint
CREATE TABLE `project_moves` (
	`moved_id` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`from_database` integer NOT NULL,
	`to_database` integer NOT NULL,
	`step` text NOT NULL,
	`step_at` integer NOT NULL,
	`cursor` text,
	`copied` text NOT NULL,
	`found` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`revision` integer DEFAULT 0 NOT NULL,
	`requested_at` integer NOT NULL,
	`completed_at` integer
);
--> statement-breakpoint
CREATE INDEX `project_moves_open` ON `project_moves` (`moved_id`) WHERE completed_at IS NULL;--> statement-breakpoint
CREATE TRIGGER automations_counted AFTER INSERT ON automations BEGIN
  INSERT INTO automation_counts (project_id, automations) VALUES (NEW.project_id, 1)
  ON CONFLICT (project_id) DO UPDATE SET automations = automations + 1;
END;--> statement-breakpoint
CREATE TRIGGER automations_discounted AFTER UPDATE OF deleted_at ON automations
WHEN OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL BEGIN
  UPDATE automation_counts SET automations = automations - 1 WHERE project_id = NEW.project_id;
END;--> statement-breakpoint
CREATE TRIGGER campaigns_counted AFTER INSERT ON campaigns BEGIN
  INSERT INTO campaign_totals (project_id, currency, decimals, campaigns, reach, impressions, spend_minor, committed_minor)
  VALUES (NEW.project_id, NEW.currency, NEW.decimals, 1, NEW.reach, NEW.impressions, NEW.spend_minor, NEW.committed)
  ON CONFLICT (project_id, currency) DO UPDATE SET campaigns = campaigns + 1, reach = reach + NEW.reach,
    impressions = impressions + NEW.impressions, spend_minor = spend_minor + NEW.spend_minor,
    committed_minor = committed_minor + NEW.committed;
END;--> statement-breakpoint
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
END;--> statement-breakpoint
CREATE TRIGGER channels_counted AFTER INSERT ON channels WHEN NEW.disconnected_at IS NULL
BEGIN
  INSERT INTO channel_counts (project_id, user_ref, counts)
  VALUES (NEW.project_id, '', json_object(NEW.platform, 1, NEW.platform || '.' || NEW.marked_health, 1)), (NEW.project_id, NEW.user_ref, json_object(NEW.platform, 1, NEW.platform || '.' || NEW.marked_health, 1))
  ON CONFLICT (project_id, user_ref) DO UPDATE SET counts = json_set(counts, '$."' || NEW.platform || '"', coalesce(json_extract(counts, '$."' || NEW.platform || '"'), 0) + 1,
    '$."' || NEW.platform || '.' || NEW.marked_health || '"', coalesce(json_extract(counts, '$."' || NEW.platform || '.' || NEW.marked_health || '"'), 0) + 1);
END;--> statement-breakpoint
CREATE TRIGGER channels_counted_on_change AFTER UPDATE OF disconnected_at, user_ref, marked_health ON channels
WHEN (NEW.disconnected_at IS NULL) <> (OLD.disconnected_at IS NULL) OR NEW.user_ref <> OLD.user_ref OR NEW.marked_health <> OLD.marked_health
BEGIN
  UPDATE channel_counts SET counts = json_set(counts, '$."' || OLD.platform || '"', coalesce(json_extract(counts, '$."' || OLD.platform || '"'), 0) - 1,
    '$."' || OLD.platform || '.' || OLD.marked_health || '"', coalesce(json_extract(counts, '$."' || OLD.platform || '.' || OLD.marked_health || '"'), 0) - 1)
  WHERE OLD.disconnected_at IS NULL AND project_id = OLD.project_id AND user_ref IN ('', OLD.user_ref);
  INSERT INTO channel_counts (project_id, user_ref, counts)
  SELECT NEW.project_id, value, json_object(NEW.platform, 1, NEW.platform || '.' || NEW.marked_health, 1) FROM json_each(json_array('', NEW.user_ref)) WHERE NEW.disconnected_at IS NULL
  ON CONFLICT (project_id, user_ref) DO UPDATE SET counts = json_set(counts, '$."' || NEW.platform || '"', coalesce(json_extract(counts, '$."' || NEW.platform || '"'), 0) + 1,
    '$."' || NEW.platform || '.' || NEW.marked_health || '"', coalesce(json_extract(counts, '$."' || NEW.platform || '.' || NEW.marked_health || '"'), 0) + 1);
END;--> statement-breakpoint
CREATE TRIGGER files_weighed AFTER INSERT ON files WHEN NOT NEW.is_copy BEGIN
  INSERT INTO file_bytes (project_id, bytes) VALUES (NEW.project_id, NEW.bytes)
  ON CONFLICT (project_id) DO UPDATE SET bytes = bytes + NEW.bytes;
END;--> statement-breakpoint
CREATE TRIGGER files_weighed_on_change AFTER UPDATE OF bytes ON files WHEN NOT NEW.is_copy AND NEW.bytes <> OLD.bytes BEGIN
  UPDATE file_bytes SET bytes = max(0, bytes + NEW.bytes - OLD.bytes) WHERE project_id = NEW.project_id;
END;--> statement-breakpoint
CREATE TRIGGER files_weighed_on_delete AFTER DELETE ON files WHEN NOT OLD.is_copy BEGIN
  UPDATE file_bytes SET bytes = max(0, bytes - OLD.bytes) WHERE project_id = OLD.project_id;
END;--> statement-breakpoint
CREATE TRIGGER imports_weighed AFTER INSERT ON imports WHEN NEW.bytes > 0 BEGIN
  INSERT INTO post_counts (project_id, counts, bytes) VALUES (NEW.project_id, '{}', NEW.bytes)
  ON CONFLICT (project_id) DO UPDATE SET bytes = bytes + excluded.bytes;
END;--> statement-breakpoint
CREATE TRIGGER imports_weighed_on_change AFTER UPDATE OF bytes ON imports WHEN NEW.bytes <> OLD.bytes BEGIN
  INSERT INTO post_counts (project_id, counts, bytes) VALUES (NEW.project_id, '{}', max(0, NEW.bytes - OLD.bytes))
  ON CONFLICT (project_id) DO UPDATE SET bytes = max(0, bytes + NEW.bytes - OLD.bytes);
END;--> statement-breakpoint
CREATE TRIGGER imports_weighed_on_delete AFTER DELETE ON imports WHEN OLD.bytes > 0 BEGIN
  UPDATE post_counts SET bytes = max(0, bytes - OLD.bytes) WHERE project_id = OLD.project_id;
END;--> statement-breakpoint
CREATE TRIGGER posts_counted_on_change AFTER UPDATE OF state, caption, media_urls, alt_texts, hash_tags, thread, extra, first_comment, external_id, metadata ON posts
WHEN NEW.state <> OLD.state OR octet_length(NEW.caption) + octet_length(NEW.media_urls) + octet_length(NEW.alt_texts) + octet_length(NEW.hash_tags) + octet_length(NEW.thread)
      + coalesce(octet_length(NEW.extra), 0) + coalesce(octet_length(NEW.first_comment), 0) + coalesce(octet_length(NEW.external_id), 0) + coalesce(octet_length(NEW.metadata), 0)
  <> octet_length(OLD.caption) + octet_length(OLD.media_urls) + octet_length(OLD.alt_texts) + octet_length(OLD.hash_tags) + octet_length(OLD.thread)
      + coalesce(octet_length(OLD.extra), 0) + coalesce(octet_length(OLD.first_comment), 0) + coalesce(octet_length(OLD.external_id), 0) + coalesce(octet_length(OLD.metadata), 0)
BEGIN
  UPDATE post_counts SET bytes = max(0, bytes
    + (octet_length(NEW.caption) + octet_length(NEW.media_urls) + octet_length(NEW.alt_texts) + octet_length(NEW.hash_tags) + octet_length(NEW.thread)
      + coalesce(octet_length(NEW.extra), 0) + coalesce(octet_length(NEW.first_comment), 0) + coalesce(octet_length(NEW.external_id), 0) + coalesce(octet_length(NEW.metadata), 0))
    - (octet_length(OLD.caption) + octet_length(OLD.media_urls) + octet_length(OLD.alt_texts) + octet_length(OLD.hash_tags) + octet_length(OLD.thread)
      + coalesce(octet_length(OLD.extra), 0) + coalesce(octet_length(OLD.first_comment), 0) + coalesce(octet_length(OLD.external_id), 0) + coalesce(octet_length(OLD.metadata), 0))),
    waiting = waiting - (OLD.state IN ('draft', 'pending', 'processing', 'scheduled', 'queued')) + (NEW.state IN ('draft', 'pending', 'processing', 'scheduled', 'queued')),
    counts = iif(NEW.state = OLD.state, counts, json_set(
      counts,
      '$."' || OLD.channel_type || '.' || OLD.state || '"',
      coalesce(json_extract(counts, '$."' || OLD.channel_type || '.' || OLD.state || '"'), 0) - (OLD.state <> 'deleted'),
      '$."' || NEW.channel_type || '.' || NEW.state || '"',
      coalesce(json_extract(counts, '$."' || NEW.channel_type || '.' || NEW.state || '"'), 0) + (NEW.state <> 'deleted')
    ))
  WHERE project_id = NEW.project_id;
END;--> statement-breakpoint
CREATE TRIGGER posts_counted_on_delete AFTER DELETE ON posts
WHEN NOT EXISTS (SELECT 1 FROM posts_at_rest WHERE posts_at_rest.id = OLD.id)
BEGIN
  UPDATE post_counts SET waiting = waiting - (OLD.state IN ('draft', 'pending', 'processing', 'scheduled', 'queued')),
    bytes = max(0, bytes - (octet_length(OLD.caption) + octet_length(OLD.media_urls) + octet_length(OLD.alt_texts) + octet_length(OLD.hash_tags) + octet_length(OLD.thread)
      + coalesce(octet_length(OLD.extra), 0) + coalesce(octet_length(OLD.first_comment), 0) + coalesce(octet_length(OLD.external_id), 0) + coalesce(octet_length(OLD.metadata), 0))),
    counts = json_set(counts, '$."' || OLD.channel_type || '.' || OLD.state || '"',
      coalesce(json_extract(counts, '$."' || OLD.channel_type || '.' || OLD.state || '"'), 0) - (OLD.state <> 'deleted')
    ) WHERE project_id = OLD.project_id;
END;--> statement-breakpoint
CREATE TRIGGER posts_counted_on_insert AFTER INSERT ON posts
WHEN NOT EXISTS (SELECT 1 FROM posts_at_rest WHERE posts_at_rest.id = NEW.id)
BEGIN
  INSERT INTO post_counts (project_id, counts, waiting, bytes)
  VALUES (NEW.project_id, json_object(NEW.channel_type || '.' || NEW.state, NEW.state <> 'deleted'), NEW.state IN ('draft', 'pending', 'processing', 'scheduled', 'queued'),
    octet_length(NEW.caption) + octet_length(NEW.media_urls) + octet_length(NEW.alt_texts) + octet_length(NEW.hash_tags) + octet_length(NEW.thread)
      + coalesce(octet_length(NEW.extra), 0) + coalesce(octet_length(NEW.first_comment), 0) + coalesce(octet_length(NEW.external_id), 0) + coalesce(octet_length(NEW.metadata), 0))
  ON CONFLICT (project_id) DO UPDATE SET waiting = waiting + excluded.waiting, bytes = bytes + excluded.bytes, counts = json_set(
    counts, '$."' || NEW.channel_type || '.' || NEW.state || '"', coalesce(json_extract(counts, '$."' || NEW.channel_type || '.' || NEW.state || '"'), 0) + (NEW.state <> 'deleted')
  );
END;
