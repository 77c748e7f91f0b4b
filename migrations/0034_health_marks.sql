DROP TABLE `list_spans`;
--> statement-breakpoint
DROP INDEX `channels_by_platform`;
--> statement-breakpoint
DROP INDEX `channels_of_user`;
--> statement-breakpoint
ALTER TABLE `channels` ADD `marked_health` text DEFAULT 'reconnect_needed' NOT NULL;
--> statement-breakpoint
ALTER TABLE `channels` ADD `expiring_at` integer;
--> statement-breakpoint
DROP TRIGGER channels_counted;
--> statement-breakpoint
DROP TRIGGER channels_counted_on_change;
--> statement-breakpoint
DROP TRIGGER channels_counted_on_delete;
--> statement-breakpoint
-- What get-channels filters by (docs/decisions/0044): the health of a channel's publishing, as src/channels/health.ts has it. The
-- scopes are those that each platform's publishing needs; test/channels/health-marks.ts compares them.
CREATE TRIGGER grants_marked_on_change AFTER UPDATE OF health, scopes, expires_at, ends_at, refresh_due_at, stopped ON grants
WHEN NEW.purpose = 'publish'
BEGIN
  UPDATE channels SET marked_health = mark.health, expiring_at = mark.at
  FROM (
    SELECT own.id,
      CASE WHEN NEW.stopped ->> 'publish' IS NOT NULL THEN 'reconnect_needed'
        WHEN NEW.scopes IS NULL OR CASE own.platform
          WHEN 'facebook' THEN instr(NEW.scopes, '"pages_manage_posts"') > 0 AND instr(NEW.scopes, '"pages_read_engagement"') > 0
          WHEN 'instagram' THEN instr(NEW.scopes, '"instagram_basic"') > 0 AND instr(NEW.scopes, '"instagram_content_publish"') > 0
          WHEN 'threads' THEN instr(NEW.scopes, '"threads_basic"') > 0 AND instr(NEW.scopes, '"threads_content_publish"') > 0
          WHEN 'tiktok' THEN instr(NEW.scopes, '"video.publish"') > 0
          WHEN 'twitter' THEN instr(NEW.scopes, '"tweet.read"') > 0 AND instr(NEW.scopes, '"tweet.write"') > 0 AND instr(NEW.scopes, '"users.read"') > 0
          WHEN 'youtube' THEN instr(NEW.scopes, '"https://www.googleapis.com/auth/youtube.upload"') > 0 AND instr(NEW.scopes, '"https://www.googleapis.com/auth/youtube.readonly"') > 0
          ELSE 1 END THEN NEW.health
        ELSE 'reconnect_needed' END AS health,
      -- A week before the end.
      CASE WHEN NEW.refresh_due_at IS NULL THEN coalesce(min(NEW.expires_at, NEW.ends_at), NEW.expires_at, NEW.ends_at)
        ELSE max(NEW.ends_at, coalesce(NEW.expires_at, 0)) END - 604800000 + 1 AS at
    FROM channels AS own WHERE own.id = NEW.channel_id
  ) AS mark
  WHERE channels.id = mark.id AND (channels.marked_health <> mark.health OR channels.expiring_at IS NOT mark.at);
END;
--> statement-breakpoint
-- An update of a grant marks its channel, and so does an insert.
CREATE TRIGGER grants_marked AFTER INSERT ON grants WHEN NEW.purpose = 'publish'
BEGIN
  UPDATE grants SET health = health WHERE channel_id = NEW.channel_id AND purpose = NEW.purpose;
END;
--> statement-breakpoint
UPDATE grants SET health = health WHERE purpose = 'publish';
--> statement-breakpoint
CREATE INDEX `channels_turning` ON `channels` (`project_id`,`expiring_at`) WHERE marked_health = 'connected' AND expiring_at IS NOT NULL AND disconnected_at IS NULL;
--> statement-breakpoint
CREATE INDEX `channels_turned` ON `channels` (`expiring_at`) WHERE marked_health = 'connected' AND expiring_at IS NOT NULL AND disconnected_at IS NULL;
--> statement-breakpoint
CREATE INDEX `channels_by_platform` ON `channels` (`project_id`,`platform`,`marked_health`,`id`,`expiring_at`) WHERE disconnected_at IS NULL;
--> statement-breakpoint
CREATE INDEX `channels_of_user` ON `channels` (`project_id`,`user_ref`,`platform`,`marked_health`,`id`,`expiring_at`) WHERE disconnected_at IS NULL;
--> statement-breakpoint
-- The totals of get-channels, by health as well.
DELETE FROM channel_counts;
--> statement-breakpoint
INSERT INTO channel_counts (project_id, user_ref, counts)
SELECT project_id, user_ref, json_group_object(name, channels) FROM (
  SELECT project_id, key.value AS user_ref, name.value AS name, count(*) AS channels
  FROM channels, json_each(json_array('', channels.user_ref)) AS key,
    json_each(json_array(platform, platform || '.' || marked_health)) AS name
  WHERE disconnected_at IS NULL GROUP BY 1, 2, 3
) GROUP BY 1, 2;
--> statement-breakpoint
CREATE TRIGGER channels_counted AFTER INSERT ON channels WHEN NEW.disconnected_at IS NULL
BEGIN
  INSERT INTO channel_counts (project_id, user_ref, counts)
  VALUES (NEW.project_id, '', json_object(NEW.platform, 1, NEW.platform || '.' || NEW.marked_health, 1)), (NEW.project_id, NEW.user_ref, json_object(NEW.platform, 1, NEW.platform || '.' || NEW.marked_health, 1))
  ON CONFLICT (project_id, user_ref) DO UPDATE SET counts = json_set(counts, '$."' || NEW.platform || '"', coalesce(json_extract(counts, '$."' || NEW.platform || '"'), 0) + 1,
    '$."' || NEW.platform || '.' || NEW.marked_health || '"', coalesce(json_extract(counts, '$."' || NEW.platform || '.' || NEW.marked_health || '"'), 0) + 1);
END;
--> statement-breakpoint
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
END;
--> statement-breakpoint
CREATE TRIGGER channels_counted_on_delete AFTER DELETE ON channels WHEN OLD.disconnected_at IS NULL
BEGIN
  UPDATE channel_counts SET counts = json_set(counts, '$."' || OLD.platform || '"', coalesce(json_extract(counts, '$."' || OLD.platform || '"'), 0) - 1,
    '$."' || OLD.platform || '.' || OLD.marked_health || '"', coalesce(json_extract(counts, '$."' || OLD.platform || '.' || OLD.marked_health || '"'), 0) - 1)
  WHERE project_id = OLD.project_id AND user_ref IN ('', OLD.user_ref);
END;
