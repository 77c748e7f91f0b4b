CREATE TABLE `campaign_spans` (
	`project_id` integer NOT NULL,
	`bits` integer NOT NULL,
	`span` integer NOT NULL,
	`campaigns` integer NOT NULL,
	PRIMARY KEY(`project_id`, `bits`, `span`)
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO campaign_spans (project_id, bits, span, campaigns)
SELECT project_id, value, campaigns.id >> value, count(*) FROM campaigns, json_each('[0, 3, 6, 9, 12, 15, 18, 21]')
WHERE deleted_at IS NULL GROUP BY 1, 2, 3;
--> statement-breakpoint
CREATE TRIGGER campaigns_placed AFTER INSERT ON campaigns BEGIN
  INSERT INTO campaign_spans (project_id, bits, span, campaigns) VALUES
    (NEW.project_id, 0, NEW.id, 1), (NEW.project_id, 3, NEW.id >> 3, 1), (NEW.project_id, 6, NEW.id >> 6, 1), (NEW.project_id, 9, NEW.id >> 9, 1),
    (NEW.project_id, 12, NEW.id >> 12, 1), (NEW.project_id, 15, NEW.id >> 15, 1), (NEW.project_id, 18, NEW.id >> 18, 1),
    (NEW.project_id, 21, NEW.id >> 21, 1)
  ON CONFLICT DO UPDATE SET campaigns = campaigns + 1;
END;
--> statement-breakpoint
CREATE TRIGGER campaigns_removed AFTER UPDATE OF deleted_at ON campaigns WHEN OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL BEGIN
  INSERT INTO campaign_spans (project_id, bits, span, campaigns) VALUES
    (NEW.project_id, 3, NEW.id >> 3, 0), (NEW.project_id, 6, NEW.id >> 6, 0), (NEW.project_id, 9, NEW.id >> 9, 0),
    (NEW.project_id, 12, NEW.id >> 12, 0), (NEW.project_id, 15, NEW.id >> 15, 0), (NEW.project_id, 18, NEW.id >> 18, 0),
    (NEW.project_id, 21, NEW.id >> 21, 0)
  ON CONFLICT DO UPDATE SET campaigns = campaigns - 1;
  -- There are so many of the smallest spans that empty ones go.
  DELETE FROM campaign_spans WHERE project_id = NEW.project_id AND bits = 0 AND span = NEW.id;
  DELETE FROM campaign_spans WHERE project_id = NEW.project_id AND bits = 3 AND span = NEW.id >> 3 AND campaigns = 0;
END;
