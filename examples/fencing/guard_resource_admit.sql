-- First in the transaction that writes (BEGIN IMMEDIATE on SQLite). One row changed: admitted, go on and COMMIT.
-- None: refused, ROLLBACK.
INSERT INTO fence (resource, token)
SELECT :resource, :token WHERE :token > '00000000000000000000'
    ON CONFLICT (resource) DO UPDATE SET token = excluded.token WHERE fence.token <= excluded.token;
