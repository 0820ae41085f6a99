-- Options and declarations that do not fit, and their hints.
CREATE SERVER bad FOREIGN DATA WRAPPER raydex_fdw;
CREATE SERVER bad FOREIGN DATA WRAPPER raydex_fdw OPTIONS (folder 'here');
CREATE SERVER bad FOREIGN DATA WRAPPER raydex_fdw OPTIONS (directory '/tmp');
CREATE SERVER bad FOREIGN DATA WRAPPER raydex_fdw OPTIONS (folder '/tmp', "table" 'x');
CREATE FOREIGN TABLE bad (key int) SERVER files OPTIONS (folder '/tmp');
CREATE FOREIGN TABLE bad (key int) SERVER files OPTIONS ("table" '');
CREATE FOREIGN TABLE bad (key int) SERVER files;
SELECT * FROM bad;
DROP FOREIGN TABLE bad;
CREATE FOREIGN TABLE bad (key int, missing int) SERVER files OPTIONS ("table" 'labels');
SELECT key FROM bad;
DROP FOREIGN TABLE bad;
CREATE FOREIGN TABLE bad (key bigint) SERVER files OPTIONS ("table" 'labels');
SELECT key FROM bad;
DROP FOREIGN TABLE bad;
CREATE FOREIGN TABLE bad (weight numeric(10,1)) SERVER files OPTIONS ("table" 'labels');
SELECT weight FROM bad;
DROP FOREIGN TABLE bad;
CREATE FOREIGN TABLE good (w numeric OPTIONS ("column" 'weight'), "Key" int OPTIONS ("column" 'key')) SERVER files
  OPTIONS ("table" 'labels');
SELECT "Key", w FROM good WHERE "Key" > 3 ORDER BY 1;
DROP FOREIGN TABLE good;
-- Names that are longer than the server's, and names of any characters.
\! mkdir -p "$FOLDER/named" && chmod 777 "$FOLDER/named" && printf '%070d,größe,it'"'"'s $1\n1,2,3\n' 7 >"$FOLDER/named.csv" && "$RAYDEX" import "$FOLDER/named.csv" "$FOLDER/named/A \"name\" %s \$1.rdx" >/dev/null 2>&1
\set named :folder '/named'
CREATE SERVER named FOREIGN DATA WRAPPER raydex_fdw OPTIONS (folder :'named');
SET client_min_messages = warning;
IMPORT FOREIGN SCHEMA files FROM SERVER named INTO public;
RESET client_min_messages;
SELECT * FROM "A ""name"" %s $1" WHERE "größe" = 2;
PREPARE named(int) AS SELECT sum("it's $1") FROM "A ""name"" %s $1" WHERE "größe" = $1;
SET plan_cache_mode = force_generic_plan;
EXECUTE named(2);
RESET plan_cache_mode;
-- A folder that the server may not read.
\! chmod 0 "$FOLDER/named"
IMPORT FOREIGN SCHEMA files FROM SERVER named INTO public;
SELECT * FROM "A ""name"" %s $1";
\! chmod 777 "$FOLDER/named"
SET client_min_messages = warning;
DROP SERVER named CASCADE;
RESET client_min_messages;
\! rm -r "$FOLDER/named"
-- Folders are for those who may read files of the server.
CREATE ROLE plain;
GRANT USAGE ON FOREIGN DATA WRAPPER raydex_fdw TO plain;
SET ROLE plain;
CREATE SERVER theirs FOREIGN DATA WRAPPER raydex_fdw OPTIONS (folder '/tmp');
SELECT count(*) FROM files.labels;
SELECT raydex_load('SELECT 1 AS a', '/tmp/none.rdx');
RESET ROLE;
GRANT USAGE ON SCHEMA files TO plain;
GRANT SELECT ON files.labels TO plain;
SET ROLE plain;
SELECT count(*) FROM files.labels;
SELECT count(*) FROM files.labels JOIN files.all_types ON key = small;
RESET ROLE;
DROP OWNED BY plain;
DROP ROLE plain;
-- They are read-only.
INSERT INTO files.labels VALUES (1, 'x', 1);
UPDATE files.labels SET key = 1;
DELETE FROM files.labels;
