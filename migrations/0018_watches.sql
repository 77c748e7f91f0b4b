-- What a login begins from now on, for the grants that are there: each is looked at within a day.
INSERT INTO recurring (key, kind, due_at, interval_ms, failures, created_at)
SELECT 'watch:' || channel_id || ':' || purpose, 'watch', unixepoch() * 1000 + (channel_id % 1440) * 60000, 86400000, 0, unixepoch() * 1000
FROM grants WHERE credentials IS NOT NULL
ON CONFLICT (key) DO NOTHING;
