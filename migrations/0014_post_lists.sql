DROP INDEX `posts_by_state`;--> statement-breakpoint
DROP INDEX `posts_by_type_state`;--> statement-breakpoint
DROP INDEX `posts_by_type`;--> statement-breakpoint
ALTER TABLE `posts` ADD `caption_hash` text;--> statement-breakpoint
ALTER TABLE `posts` ADD `tie_id` integer GENERATED ALWAYS AS (id) VIRTUAL;--> statement-breakpoint
CREATE INDEX `posts_by_channel` ON `posts` (`channel_id`,`created_at`,`tie_id`) WHERE deleted_at IS NULL;--> statement-breakpoint
CREATE INDEX `posts_unpublished` ON `posts` (`channel_id`,`state`,`created_at`,`tie_id`) WHERE state IN ('draft', 'scheduled', 'queued', 'failed');--> statement-breakpoint
CREATE INDEX `posts_by_publication` ON `posts` (`project_id`,`channel_type`,`published_at`,`tie_id`) WHERE published_at IS NOT NULL AND deleted_at IS NULL;--> statement-breakpoint
CREATE INDEX `posts_by_external_id` ON `posts` (`project_id`,`external_id`,`created_at`,`tie_id`) WHERE external_id IS NOT NULL AND deleted_at IS NULL;--> statement-breakpoint
CREATE INDEX `posts_by_caption` ON `posts` (`channel_id`,`caption_hash`,`created_at`) WHERE caption_hash IS NOT NULL;--> statement-breakpoint
CREATE INDEX `posts_by_type_state` ON `posts` (`project_id`,`channel_type`,`state`,`created_at`,`tie_id`) WHERE state IN ('draft', 'scheduled', 'queued', 'failed', 'published');--> statement-breakpoint
CREATE INDEX `posts_by_type` ON `posts` (`project_id`,`channel_type`,`created_at`,`tie_id`) WHERE deleted_at IS NULL;--> statement-breakpoint
CREATE INDEX `channels_by_user` ON `channels` (`project_id`,`user_ref`);