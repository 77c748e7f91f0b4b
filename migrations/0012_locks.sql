ALTER TABLE `tokens` ADD `checksum_key` text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX `tokens_by_checksum_key` ON `tokens` (`checksum_key`) WHERE revoked_at IS NULL;--> statement-breakpoint
ALTER TABLE `post_counts` ADD `waiting` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `post_counts` ADD `bytes` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `oauth_states_by_session` ON `oauth_states` (`token_hash`);