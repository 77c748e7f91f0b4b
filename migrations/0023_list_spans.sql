CREATE TABLE `list_spans` (
	`list` text NOT NULL,
	`project_id` integer NOT NULL,
	`bits` integer NOT NULL,
	`span` integer NOT NULL,
	`entries` integer NOT NULL,
	PRIMARY KEY(`list`, `project_id`, `bits`, `span`)
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO list_spans (list, project_id, bits, span, entries)
SELECT 'campaigns', project_id, value, campaigns.id >> value, count(*) FROM campaigns, json_each('[0, 3, 6, 9, 12, 15, 18, 21]')
WHERE deleted_at IS NULL GROUP BY project_id, value, campaigns.id >> value;
--> statement-breakpoint
CREATE TRIGGER campaigns_placed AFTER INSERT ON campaigns BEGIN
  INSERT INTO list_spans (list, project_id, bits, span, entries) VALUES
    ('campaigns', NEW.project_id, 0, NEW.id, 1), ('campaigns', NEW.project_id, 3, NEW.id >> 3, 1),
    ('campaigns', NEW.project_id, 6, NEW.id >> 6, 1), ('campaigns', NEW.project_id, 9, NEW.id >> 9, 1),
    ('campaigns', NEW.project_id, 12, NEW.id >> 12, 1), ('campaigns', NEW.project_id, 15, NEW.id >> 15, 1),
    ('campaigns', NEW.project_id, 18, NEW.id >> 18, 1), ('campaigns', NEW.project_id, 21, NEW.id >> 21, 1)
  ON CONFLICT DO UPDATE SET entries = entries + 1;
END;
--> statement-breakpoint
CREATE TRIGGER campaigns_unplaced AFTER UPDATE OF deleted_at ON campaigns WHEN OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL BEGIN
  INSERT INTO list_spans (list, project_id, bits, span, entries) VALUES
    ('campaigns', NEW.project_id, 3, NEW.id >> 3, 0), ('campaigns', NEW.project_id, 6, NEW.id >> 6, 0),
    ('campaigns', NEW.project_id, 9, NEW.id >> 9, 0), ('campaigns', NEW.project_id, 12, NEW.id >> 12, 0),
    ('campaigns', NEW.project_id, 15, NEW.id >> 15, 0), ('campaigns', NEW.project_id, 18, NEW.id >> 18, 0),
    ('campaigns', NEW.project_id, 21, NEW.id >> 21, 0)
  ON CONFLICT DO UPDATE SET entries = entries - 1;
  -- There are so many of the smallest spans that empty ones go.
  DELETE FROM list_spans WHERE list = 'campaigns' AND project_id = NEW.project_id AND bits = 0 AND span = NEW.id;
  DELETE FROM list_spans WHERE list = 'campaigns' AND project_id = NEW.project_id AND bits = 3 AND span = NEW.id >> 3 AND entries = 0;
END;
--> statement-breakpoint
INSERT INTO list_spans (list, project_id, bits, span, entries)
SELECT 'generations', project_id, value, generations.id >> value, count(*) FROM generations, json_each('[0, 3, 6, 9, 12, 15, 18, 21]')
WHERE deleted_at IS NULL GROUP BY project_id, value, generations.id >> value;
--> statement-breakpoint
CREATE TRIGGER generations_placed AFTER INSERT ON generations BEGIN
  INSERT INTO list_spans (list, project_id, bits, span, entries) VALUES
    ('generations', NEW.project_id, 0, NEW.id, 1), ('generations', NEW.project_id, 3, NEW.id >> 3, 1),
    ('generations', NEW.project_id, 6, NEW.id >> 6, 1), ('generations', NEW.project_id, 9, NEW.id >> 9, 1),
    ('generations', NEW.project_id, 12, NEW.id >> 12, 1), ('generations', NEW.project_id, 15, NEW.id >> 15, 1),
    ('generations', NEW.project_id, 18, NEW.id >> 18, 1), ('generations', NEW.project_id, 21, NEW.id >> 21, 1)
  ON CONFLICT DO UPDATE SET entries = entries + 1;
END;
--> statement-breakpoint
CREATE TRIGGER generations_unplaced AFTER UPDATE OF deleted_at ON generations WHEN OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL BEGIN
  INSERT INTO list_spans (list, project_id, bits, span, entries) VALUES
    ('generations', NEW.project_id, 3, NEW.id >> 3, 0), ('generations', NEW.project_id, 6, NEW.id >> 6, 0),
    ('generations', NEW.project_id, 9, NEW.id >> 9, 0), ('generations', NEW.project_id, 12, NEW.id >> 12, 0),
    ('generations', NEW.project_id, 15, NEW.id >> 15, 0), ('generations', NEW.project_id, 18, NEW.id >> 18, 0),
    ('generations', NEW.project_id, 21, NEW.id >> 21, 0)
  ON CONFLICT DO UPDATE SET entries = entries - 1;
  -- There are so many of the smallest spans that empty ones go.
  DELETE FROM list_spans WHERE list = 'generations' AND project_id = NEW.project_id AND bits = 0 AND span = NEW.id;
  DELETE FROM list_spans WHERE list = 'generations' AND project_id = NEW.project_id AND bits = 3 AND span = NEW.id >> 3 AND entries = 0;
END;
