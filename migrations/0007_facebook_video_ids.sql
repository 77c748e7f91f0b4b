-- Facebook's videos get their own id beside that of the post that shows them. Until now only the address told it.
UPDATE `posts` SET `platform_posts` = (
  SELECT json_group_array(json_set(live.`value`, '$.secondaryId', CASE WHEN live.`own` GLOB '[0-9]*' AND live.`own` NOT GLOB '*[^0-9]*' THEN live.`own` END))
  FROM (
    SELECT `value`, replace(`address`, rtrim(`address`, replace(`address`, '/', '')), '') AS `own`
    FROM (SELECT `value`, rtrim(`value` ->> 'permalink', '/') AS `address` FROM json_each(`posts`.`platform_posts`) ORDER BY `key`)
  ) live
)
WHERE `channel_type` = 'facebook' AND `post_type` <> 'story'
  AND (`platform_posts` LIKE '%facebook.com/reel/%' OR `platform_posts` LIKE '%/videos/%');
