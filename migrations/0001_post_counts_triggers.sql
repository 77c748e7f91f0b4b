-- Totals without scans: one JSON row a project, kept by these triggers (src/posts/table.ts, post_counts).
-- Deleted posts count nowhere.
CREATE TRIGGER posts_counted_on_insert AFTER INSERT ON posts
WHEN NEW.state <> 'deleted'
BEGIN
  INSERT INTO post_counts (project_id, counts)
  VALUES (NEW.project_id, json_object(NEW.channel_type || '.' || NEW.state, 1))
  ON CONFLICT (project_id) DO UPDATE SET counts = json_set(
    counts,
    '$."' || NEW.channel_type || '.' || NEW.state || '"',
    coalesce(json_extract(counts, '$."' || NEW.channel_type || '.' || NEW.state || '"'), 0) + 1
  );
END;
--> statement-breakpoint
CREATE TRIGGER posts_counted_on_change AFTER UPDATE OF state ON posts
WHEN NEW.state <> OLD.state
BEGIN
  UPDATE post_counts SET counts = json_set(
    counts,
    '$."' || OLD.channel_type || '.' || OLD.state || '"',
    coalesce(json_extract(counts, '$."' || OLD.channel_type || '.' || OLD.state || '"'), 0) - 1
  ) WHERE project_id = OLD.project_id AND OLD.state <> 'deleted';
  UPDATE post_counts SET counts = json_set(
    counts,
    '$."' || NEW.channel_type || '.' || NEW.state || '"',
    coalesce(json_extract(counts, '$."' || NEW.channel_type || '.' || NEW.state || '"'), 0) + 1
  ) WHERE project_id = NEW.project_id AND NEW.state <> 'deleted';
END;
--> statement-breakpoint
CREATE TRIGGER posts_counted_on_delete AFTER DELETE ON posts
WHEN OLD.state <> 'deleted'
BEGIN
  UPDATE post_counts SET counts = json_set(
    counts,
    '$."' || OLD.channel_type || '.' || OLD.state || '"',
    coalesce(json_extract(counts, '$."' || OLD.channel_type || '.' || OLD.state || '"'), 0) - 1
  ) WHERE project_id = OLD.project_id;
END;
