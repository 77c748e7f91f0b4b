CREATE TABLE `limits` (
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
CREATE INDEX `limits_over` ON `limits` (`until`);--> statement-breakpoint
ALTER TABLE `posts` ADD `first_comment` text;--> statement-breakpoint
ALTER TABLE `posts` ADD `first_comment_result` text;--> statement-breakpoint
-- The counter row weighs the first comment too (src/posts/quota.ts).
DROP TRIGGER posts_counted_on_insert;
--> statement-breakpoint
CREATE TRIGGER posts_counted_on_insert AFTER INSERT ON posts
BEGIN
  INSERT INTO post_counts (project_id, counts, waiting, bytes)
  VALUES (NEW.project_id, json_object(NEW.channel_type || '.' || NEW.state, NEW.state <> 'deleted'), NEW.state IN ('draft', 'pending', 'processing', 'scheduled', 'queued'),
    octet_length(NEW.caption) + octet_length(NEW.media_urls) + octet_length(NEW.alt_texts) + octet_length(NEW.hash_tags) + octet_length(NEW.thread)
      + coalesce(octet_length(NEW.extra), 0) + coalesce(octet_length(NEW.first_comment), 0) + coalesce(octet_length(NEW.external_id), 0) + coalesce(octet_length(NEW.metadata), 0))
  ON CONFLICT (project_id) DO UPDATE SET waiting = waiting + excluded.waiting, bytes = bytes + excluded.bytes, counts = json_set(
    counts, '$."' || NEW.channel_type || '.' || NEW.state || '"', coalesce(json_extract(counts, '$."' || NEW.channel_type || '.' || NEW.state || '"'), 0) + (NEW.state <> 'deleted')
  );
END;
--> statement-breakpoint
DROP TRIGGER posts_weighed_on_change;
--> statement-breakpoint
CREATE TRIGGER posts_weighed_on_change
AFTER UPDATE OF caption, media_urls, alt_texts, hash_tags, thread, extra, first_comment, external_id, metadata ON posts
WHEN octet_length(NEW.caption) + octet_length(NEW.media_urls) + octet_length(NEW.alt_texts) + octet_length(NEW.hash_tags) + octet_length(NEW.thread)
      + coalesce(octet_length(NEW.extra), 0) + coalesce(octet_length(NEW.first_comment), 0) + coalesce(octet_length(NEW.external_id), 0) + coalesce(octet_length(NEW.metadata), 0)
  <> octet_length(OLD.caption) + octet_length(OLD.media_urls) + octet_length(OLD.alt_texts) + octet_length(OLD.hash_tags) + octet_length(OLD.thread)
      + coalesce(octet_length(OLD.extra), 0) + coalesce(octet_length(OLD.first_comment), 0) + coalesce(octet_length(OLD.external_id), 0) + coalesce(octet_length(OLD.metadata), 0)
BEGIN
  UPDATE post_counts SET bytes = max(0, bytes
    + (octet_length(NEW.caption) + octet_length(NEW.media_urls) + octet_length(NEW.alt_texts) + octet_length(NEW.hash_tags) + octet_length(NEW.thread)
      + coalesce(octet_length(NEW.extra), 0) + coalesce(octet_length(NEW.first_comment), 0) + coalesce(octet_length(NEW.external_id), 0) + coalesce(octet_length(NEW.metadata), 0))
    - (octet_length(OLD.caption) + octet_length(OLD.media_urls) + octet_length(OLD.alt_texts) + octet_length(OLD.hash_tags) + octet_length(OLD.thread)
      + coalesce(octet_length(OLD.extra), 0) + coalesce(octet_length(OLD.first_comment), 0) + coalesce(octet_length(OLD.external_id), 0) + coalesce(octet_length(OLD.metadata), 0))
  ) WHERE project_id = NEW.project_id;
END;
--> statement-breakpoint
DROP TRIGGER posts_counted_on_delete;
--> statement-breakpoint
CREATE TRIGGER posts_counted_on_delete AFTER DELETE ON posts
BEGIN
  UPDATE post_counts SET waiting = waiting - (OLD.state IN ('draft', 'pending', 'processing', 'scheduled', 'queued')),
    bytes = max(0, bytes - (octet_length(OLD.caption) + octet_length(OLD.media_urls) + octet_length(OLD.alt_texts) + octet_length(OLD.hash_tags) + octet_length(OLD.thread)
      + coalesce(octet_length(OLD.extra), 0) + coalesce(octet_length(OLD.first_comment), 0) + coalesce(octet_length(OLD.external_id), 0) + coalesce(octet_length(OLD.metadata), 0))),
    counts = json_set(counts, '$."' || OLD.channel_type || '.' || OLD.state || '"',
      coalesce(json_extract(counts, '$."' || OLD.channel_type || '.' || OLD.state || '"'), 0) - (OLD.state <> 'deleted')
    ) WHERE project_id = OLD.project_id;
END;
