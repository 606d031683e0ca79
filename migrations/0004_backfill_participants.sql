INSERT INTO `participants` (`author_id`, `session_id`, `names`)
SELECT `person`, `session_id`, coalesce(group_concat(nullif(`name`, ''), char(10)), '')
FROM (
	SELECT `author_id` AS `person`, `session_id`, trim(replace(`author_name`, char(10), ' ')) AS `name`
	FROM `messages` WHERE `role` = 'user'
	UNION
	SELECT `quote_author_id`, `session_id`, trim(replace(coalesce(`quote_author_name`, ''), char(10), ' '))
	FROM `messages` WHERE `quote_author_id` IS NOT NULL AND `quote_author_id` <> ''
)
WHERE true
GROUP BY `person`, `session_id`
ON CONFLICT DO UPDATE SET `names` = excluded.`names`;
