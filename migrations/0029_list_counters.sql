CREATE TABLE `channel_counts` (
	`project_id` integer NOT NULL,
	`user_ref` text NOT NULL,
	`counts` text NOT NULL,
	PRIMARY KEY(`project_id`, `user_ref`)
);
--> statement-breakpoint
DROP INDEX `channels_listed`;--> statement-breakpoint
CREATE INDEX `channels_by_platform` ON `channels` (`project_id`,`platform`,`id`) WHERE disconnected_at IS NULL;--> statement-breakpoint
CREATE INDEX `channels_of_user` ON `channels` (`project_id`,`user_ref`,`platform`,`id`) WHERE disconnected_at IS NULL;--> statement-breakpoint
CREATE INDEX `webhook_deliveries_by_state` ON `webhook_deliveries` (`webhook_id`,`state`,`id`);
--> statement-breakpoint
-- Totals of the lists of channels (docs/storage.md): counted with the write, never by a scan.
INSERT INTO channel_counts (project_id, user_ref, counts)
SELECT project_id, user_ref, json_group_object(platform, channels) FROM (
  SELECT project_id, user_ref, platform, count(*) AS channels FROM channels WHERE disconnected_at IS NULL GROUP BY project_id, user_ref, platform
) GROUP BY project_id, user_ref
UNION ALL SELECT project_id, '', json_group_object(platform, channels) FROM (
  SELECT project_id, platform, count(*) AS channels FROM channels WHERE disconnected_at IS NULL GROUP BY project_id, platform
) GROUP BY project_id;
--> statement-breakpoint
CREATE TRIGGER channels_counted AFTER INSERT ON channels WHEN NEW.disconnected_at IS NULL
BEGIN
  INSERT INTO channel_counts (project_id, user_ref, counts)
  VALUES (NEW.project_id, '', json_object(NEW.platform, 1)), (NEW.project_id, NEW.user_ref, json_object(NEW.platform, 1))
  ON CONFLICT (project_id, user_ref) DO UPDATE SET counts = json_set(counts, '$."' || NEW.platform || '"', coalesce(json_extract(counts, '$."' || NEW.platform || '"'), 0) + 1);
END;
--> statement-breakpoint
CREATE TRIGGER channels_counted_on_change AFTER UPDATE OF disconnected_at, user_ref ON channels
WHEN (NEW.disconnected_at IS NULL) <> (OLD.disconnected_at IS NULL) OR NEW.user_ref <> OLD.user_ref
BEGIN
  UPDATE channel_counts SET counts = json_set(counts, '$."' || OLD.platform || '"', coalesce(json_extract(counts, '$."' || OLD.platform || '"'), 0) - 1)
  WHERE OLD.disconnected_at IS NULL AND project_id = OLD.project_id AND user_ref IN ('', OLD.user_ref);
  INSERT INTO channel_counts (project_id, user_ref, counts)
  SELECT NEW.project_id, value, json_object(NEW.platform, 1) FROM json_each(json_array('', NEW.user_ref)) WHERE NEW.disconnected_at IS NULL
  ON CONFLICT (project_id, user_ref) DO UPDATE SET counts = json_set(counts, '$."' || NEW.platform || '"', coalesce(json_extract(counts, '$."' || NEW.platform || '"'), 0) + 1);
END;
--> statement-breakpoint
CREATE TRIGGER channels_counted_on_delete AFTER DELETE ON channels WHEN OLD.disconnected_at IS NULL
BEGIN
  UPDATE channel_counts SET counts = json_set(counts, '$."' || OLD.platform || '"', coalesce(json_extract(counts, '$."' || OLD.platform || '"'), 0) - 1)
  WHERE project_id = OLD.project_id AND user_ref IN ('', OLD.user_ref);
END;
--> statement-breakpoint
-- Pages of campaigns and generations are found without spans (docs/decisions/0042); the table goes in the next release.
DROP TRIGGER IF EXISTS campaigns_placed;
--> statement-breakpoint
DROP TRIGGER IF EXISTS campaigns_unplaced;
--> statement-breakpoint
DROP TRIGGER IF EXISTS generations_placed;
--> statement-breakpoint
DROP TRIGGER IF EXISTS generations_unplaced;
--> statement-breakpoint
DELETE FROM list_spans;
