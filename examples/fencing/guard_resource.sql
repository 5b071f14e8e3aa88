-- One token for everything that a lock protects, whatever rows and tables that is.
CREATE TABLE fence (
  resource TEXT PRIMARY KEY,
  token    TEXT NOT NULL
           CHECK (length(token) = 20 AND token NOT GLOB '*[^0-9]*')
);
