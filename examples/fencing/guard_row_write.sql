-- One row changed: written. None: refused (or there is no such row), and nothing has changed.
UPDATE document SET text = :text, token = :token
 WHERE id = :id AND token <= :token AND :token > '00000000000000000000';
