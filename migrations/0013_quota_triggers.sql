-- What quotas ask for, in the project's counter row (src/posts/quota.ts), with the write that counts the post: how many posts wait,
-- and what the texts of all take, until their rows are gone; a deleted post is kept for a while.
UPDATE post_counts SET waiting = (
  SELECT coalesce(sum(value), 0) FROM json_each(counts) WHERE substr(key, instr(key, '.') + 1) IN ('draft', 'pending', 'processing', 'scheduled', 'queued')
);
--> statement-breakpoint
UPDATE post_counts SET bytes = weighed.total FROM (
  SELECT project_id, sum(octet_length(caption) + octet_length(media_urls) + octet_length(alt_texts) + octet_length(hash_tags) + octet_length(thread)
      + coalesce(octet_length(extra), 0) + coalesce(octet_length(external_id), 0) + coalesce(octet_length(metadata), 0)) AS total FROM posts GROUP BY project_id
) AS weighed WHERE weighed.project_id = post_counts.project_id;
--> statement-breakpoint
DROP TRIGGER posts_counted_on_insert;
--> statement-breakpoint
CREATE TRIGGER posts_counted_on_insert AFTER INSERT ON posts
BEGIN
  INSERT INTO post_counts (project_id, counts, waiting, bytes)
  VALUES (NEW.project_id, json_object(NEW.channel_type || '.' || NEW.state, NEW.state <> 'deleted'), NEW.state IN ('draft', 'pending', 'processing', 'scheduled', 'queued'),
    octet_length(NEW.caption) + octet_length(NEW.media_urls) + octet_length(NEW.alt_texts) + octet_length(NEW.hash_tags) + octet_length(NEW.thread)
      + coalesce(octet_length(NEW.extra), 0) + coalesce(octet_length(NEW.external_id), 0) + coalesce(octet_length(NEW.metadata), 0))
  ON CONFLICT (project_id) DO UPDATE SET waiting = waiting + excluded.waiting, bytes = bytes + excluded.bytes, counts = json_set(
    counts, '$."' || NEW.channel_type || '.' || NEW.state || '"', coalesce(json_extract(counts, '$."' || NEW.channel_type || '.' || NEW.state || '"'), 0) + (NEW.state <> 'deleted')
  );
END;
--> statement-breakpoint
DROP TRIGGER posts_counted_on_change;
--> statement-breakpoint
CREATE TRIGGER posts_counted_on_change AFTER UPDATE OF state ON posts
WHEN NEW.state <> OLD.state
BEGIN
  UPDATE post_counts SET waiting = waiting - (OLD.state IN ('draft', 'pending', 'processing', 'scheduled', 'queued')) + (NEW.state IN ('draft', 'pending', 'processing', 'scheduled', 'queued')), counts = json_set(
    counts,
    '$."' || OLD.channel_type || '.' || OLD.state || '"',
    coalesce(json_extract(counts, '$."' || OLD.channel_type || '.' || OLD.state || '"'), 0) - (OLD.state <> 'deleted'),
    '$."' || NEW.channel_type || '.' || NEW.state || '"',
    coalesce(json_extract(counts, '$."' || NEW.channel_type || '.' || NEW.state || '"'), 0) + (NEW.state <> 'deleted')
  ) WHERE project_id = NEW.project_id;
END;
--> statement-breakpoint
CREATE TRIGGER posts_weighed_on_change
AFTER UPDATE OF caption, media_urls, alt_texts, hash_tags, thread, extra, external_id, metadata ON posts
WHEN octet_length(NEW.caption) + octet_length(NEW.media_urls) + octet_length(NEW.alt_texts) + octet_length(NEW.hash_tags) + octet_length(NEW.thread)
      + coalesce(octet_length(NEW.extra), 0) + coalesce(octet_length(NEW.external_id), 0) + coalesce(octet_length(NEW.metadata), 0)
  <> octet_length(OLD.caption) + octet_length(OLD.media_urls) + octet_length(OLD.alt_texts) + octet_length(OLD.hash_tags) + octet_length(OLD.thread)
      + coalesce(octet_length(OLD.extra), 0) + coalesce(octet_length(OLD.external_id), 0) + coalesce(octet_length(OLD.metadata), 0)
BEGIN
  UPDATE post_counts SET bytes = max(0, bytes
    + (octet_length(NEW.caption) + octet_length(NEW.media_urls) + octet_length(NEW.alt_texts) + octet_length(NEW.hash_tags) + octet_length(NEW.thread)
      + coalesce(octet_length(NEW.extra), 0) + coalesce(octet_length(NEW.external_id), 0) + coalesce(octet_length(NEW.metadata), 0))
    - (octet_length(OLD.caption) + octet_length(OLD.media_urls) + octet_length(OLD.alt_texts) + octet_length(OLD.hash_tags) + octet_length(OLD.thread)
      + coalesce(octet_length(OLD.extra), 0) + coalesce(octet_length(OLD.external_id), 0) + coalesce(octet_length(OLD.metadata), 0))
  ) WHERE project_id = NEW.project_id;
END;
--> statement-breakpoint
DROP TRIGGER posts_counted_on_delete;
--> statement-breakpoint
CREATE TRIGGER posts_counted_on_delete AFTER DELETE ON posts
BEGIN
  UPDATE post_counts SET waiting = waiting - (OLD.state IN ('draft', 'pending', 'processing', 'scheduled', 'queued')),
    bytes = max(0, bytes - (octet_length(OLD.caption) + octet_length(OLD.media_urls) + octet_length(OLD.alt_texts) + octet_length(OLD.hash_tags) + octet_length(OLD.thread)
      + coalesce(octet_length(OLD.extra), 0) + coalesce(octet_length(OLD.external_id), 0) + coalesce(octet_length(OLD.metadata), 0))),
    counts = json_set(counts, '$."' || OLD.channel_type || '.' || OLD.state || '"',
      coalesce(json_extract(counts, '$."' || OLD.channel_type || '.' || OLD.state || '"'), 0) - (OLD.state <> 'deleted')
    ) WHERE project_id = OLD.project_id;
END;
