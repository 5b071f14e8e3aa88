-- One token per row. The guard is a column beside the data.
CREATE TABLE document (
  id    INTEGER PRIMARY KEY,
  text  TEXT NOT NULL,
  token TEXT NOT NULL DEFAULT '00000000000000000000'
        CHECK (length(token) = 20 AND token NOT GLOB '*[^0-9]*')
);
