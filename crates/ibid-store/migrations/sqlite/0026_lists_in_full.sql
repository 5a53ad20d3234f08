-- Since method 3.0 a number of questions beside a list of the caller makes the list a pool. Earlier schedules ask their lists in full.
UPDATE schedule SET document = json_remove(document, '$.questionsPerModel') WHERE json_type(document, '$.questions') = 'array';
