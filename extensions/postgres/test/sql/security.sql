-- Folders, rights, and files of the server.
\set safe :folder '/safe'
\! mkdir -p "$FOLDER/safe/inner" "$FOLDER/aside" && cp "$FOLDER/files/labels.rdx" "$FOLDER/safe/" && chmod -R 777 "$FOLDER/safe" "$FOLDER/aside"
\! cp "$FOLDER/files/labels.rdx" "$FOLDER/aside/hidden.rdx"; cp "$FOLDER/labels.csv" "$FOLDER/aside/hidden.csv"
\! cd "$FOLDER/safe" && ln -s "$FOLDER/aside/hidden.rdx" absolute.rdx && ln -s ../aside/hidden.rdx relative.rdx && ln -s ../aside/hidden.csv text.csv && ln -s ../aside inner/away && ln -s labels.rdx same.rdx && ln -s none.rdx broken.rdx
CREATE SERVER safe FOREIGN DATA WRAPPER raydex_fdw OPTIONS (folder :'safe');
CREATE SCHEMA safe;

-- Names that lead out of the folder, or to folders in it.
CREATE FOREIGN TABLE safe.out (key int) SERVER safe OPTIONS ("table" '../aside/hidden');
CREATE FOREIGN TABLE safe.out (key int) SERVER safe OPTIONS ("table" '..');
CREATE FOREIGN TABLE safe.out (key int) SERVER safe OPTIONS ("table" '.labels');
CREATE FOREIGN TABLE safe.out (key int) SERVER safe OPTIONS ("table" 'inner/away/hidden');
CREATE FOREIGN TABLE safe."../aside/hidden" (key int) SERVER safe;
SELECT * FROM safe."../aside/hidden";
ALTER FOREIGN TABLE safe."../aside/hidden" OPTIONS (ADD "table" '/etc/passwd');
DROP FOREIGN TABLE safe."../aside/hidden";

-- Links: those within the folder are followed, others are refused; what cannot be read is left out.
\! cd "$FOLDER/safe" && head -c 200 labels.rdx >short.rdx && echo 'no table' >strange.rdx
IMPORT FOREIGN SCHEMA files FROM SERVER safe INTO safe;
SELECT foreign_table_name FROM information_schema.foreign_tables WHERE foreign_table_schema = 'safe' ORDER BY 1;
DROP FOREIGN TABLE safe.labels, safe.same;
IMPORT FOREIGN SCHEMA files LIMIT TO (labels, absolute) FROM SERVER safe INTO safe;
DROP FOREIGN TABLE safe.labels;
\! rm "$FOLDER/safe/short.rdx" "$FOLDER/safe/strange.rdx"
IMPORT FOREIGN SCHEMA files EXCEPT (absolute, relative, text) FROM SERVER safe INTO safe;
SELECT foreign_table_name FROM information_schema.foreign_tables WHERE foreign_table_schema = 'safe' ORDER BY 1;
CREATE FOREIGN TABLE safe.absolute (key int) SERVER safe;
SELECT * FROM safe.absolute;
CREATE FOREIGN TABLE safe.relative (key int) SERVER safe;
SELECT * FROM safe.relative;
ANALYZE safe.relative;
CREATE FOREIGN TABLE safe.text (key bigint) SERVER safe;
SELECT * FROM safe.text;
CREATE FOREIGN TABLE safe.broken (key int) SERVER safe;
SELECT * FROM safe.broken;
SELECT count(*) FROM safe.same;
-- A file that becomes a link is no longer read.
SELECT count(*) FROM safe.labels;
\! cd "$FOLDER/safe" && mv labels.rdx kept.rdx && ln -s ../aside/hidden.rdx labels.rdx
SELECT count(*) FROM safe.labels;
\! cd "$FOLDER/safe" && mv kept.rdx labels.rdx
SELECT count(*) FROM safe.labels;

-- Who may do what.
CREATE ROLE reader;
CREATE ROLE writer;
CREATE ROLE owner;
GRANT pg_write_server_files TO writer;
GRANT USAGE ON SCHEMA safe TO reader, writer, owner;
GRANT USAGE ON SCHEMA heap TO writer;
GRANT USAGE ON FOREIGN SERVER safe TO owner;
GRANT CREATE ON SCHEMA safe TO owner, reader;
\set target :folder '/safe/made.rdx'
SET ROLE reader;
SELECT count(*) FROM safe.labels;
CREATE FOREIGN TABLE safe.mine (key int) SERVER safe OPTIONS ("table" 'labels');
SELECT raydex_load('SELECT 1 AS a', :'target');
SELECT raydex_prepare('safe', 'v', 'SELECT key, count(*) FROM labels GROUP BY key');
SELECT * FROM raydex_structures('safe');
SELECT count(*) FROM raydex_structures WHERE server = 'safe';
SELECT raydex_stats_reset();
ALTER SERVER safe OPTIONS (SET folder '/etc');
RESET ROLE;
SET ROLE owner;
CREATE FOREIGN TABLE safe.theirs (key int) SERVER safe OPTIONS ("table" 'labels');
SELECT count(*) FROM safe.theirs;
SELECT raydex_load('SELECT 1 AS a', :'target');
RESET ROLE;
SET ROLE writer;
SELECT raydex_load('SELECT 1 AS a', :'target');
SELECT raydex_load('SELECT * FROM heap.labels', :'target');
SELECT raydex_prepare('safe', 'v', 'SELECT key, count(*) FROM labels GROUP BY key');
RESET ROLE;
-- The owner of a server may not lead it elsewhere without the right to read files.
ALTER SERVER safe OWNER TO owner;
SET ROLE owner;
ALTER SERVER safe OPTIONS (SET folder '/etc');
RESET ROLE;
GRANT pg_read_server_files TO owner;
SET ROLE owner;
ALTER SERVER safe OPTIONS (SET folder '/etc');
RESET ROLE;
ALTER SERVER safe OPTIONS (SET folder :'safe');

-- Rights to a table, its columns and its rows are those of any table, also where joins and groups are pushed down.
GRANT SELECT (key) ON safe.labels TO reader;
CREATE VIEW safe.some AS SELECT * FROM safe.labels WHERE key < 3;
GRANT SELECT ON safe.some TO reader;
SET ROLE reader;
SELECT count(key) FROM safe.labels;
SELECT label, count(*) FROM safe.labels GROUP BY label;
SELECT count(*) FROM safe.labels a JOIN safe.labels b ON a.key = b.key WHERE b.weight > 1;
SELECT count(*), max(weight) FROM safe.some;
RESET ROLE;

-- Names are in quotes wherever they go.
SELECT raydex_prepare('safe', 'x" AS SELECT 1; --', 'SELECT key, count(*) FROM labels GROUP BY key');
CREATE FOREIGN TABLE safe.odd (k int OPTIONS ("column" 'key" FROM labels; --')) SERVER safe OPTIONS ("table" 'labels');
SELECT * FROM safe.odd;

DROP SCHEMA safe CASCADE;
DROP SERVER safe;
DROP OWNED BY reader, writer, owner;
DROP ROLE reader, writer, owner;
\! rm -rf "$FOLDER/safe" "$FOLDER/aside"
