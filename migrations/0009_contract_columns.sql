ALTER TABLE `channels` ADD `slots_zone` text;--> statement-breakpoint
ALTER TABLE `channels` ADD `queue_paused_at` integer;--> statement-breakpoint
ALTER TABLE `posts` ADD `error_code` text;--> statement-breakpoint
ALTER TABLE `posts` ADD `external_id` text;--> statement-breakpoint
ALTER TABLE `posts` ADD `metadata` text;