-- Table files from queries.
\set loaded :folder '/loaded'
\set copy :folder '/loaded/copy.rdx'
SELECT raydex_load('SELECT * FROM heap.all_types ORDER BY id', :'copy');
SELECT raydex_load('SELECT id, flag, a, b, c, e, ua, ub, uc, f, g, price, day, moment, name, small FROM heap.all_types ORDER BY id', :'copy');
CREATE SERVER loaded FOREIGN DATA WRAPPER raydex_fdw OPTIONS (folder :'loaded');
CREATE SCHEMA loaded;
IMPORT FOREIGN SCHEMA files LIMIT TO (copy) FROM SERVER loaded INTO loaded;
SELECT count(*) FROM (SELECT id, flag, a, b, c, e, ua, ub, uc, f, g, price, day, moment, name, small FROM heap.all_types
  EXCEPT ALL SELECT * FROM loaded.copy) d;
-- Until the transaction commits, and when it does not, the file is as it was.
BEGIN;
SELECT raydex_load('SELECT id, flag, a, b, c, e, ua, ub, uc, f, g, price, day, moment, name, small FROM heap.all_types LIMIT 5', :'copy');
SELECT count(*) FROM loaded.copy;
ROLLBACK;
SELECT count(*) FROM loaded.copy;
BEGIN;
SELECT raydex_load('SELECT id, flag, a, b, c, e, ua, ub, uc, f, g, price, day, moment, name, small FROM heap.all_types LIMIT 5', :'copy');
COMMIT;
SELECT count(*) FROM loaded.copy;
-- How far it is, as COPY shows it.
\set progress :folder '/loaded/progress.rdx'
SELECT raydex_load('SELECT i, CASE WHEN i = 20000 THEN (SELECT command || '' '' || type || '' '' || tuples_processed FROM pg_stat_progress_copy WHERE pid = pg_backend_pid()) END AS progress
  FROM generate_series(1, 20000) i', :'progress');
SELECT count(*) FROM pg_stat_progress_copy;
CREATE FOREIGN TABLE loaded.progress (i int, progress text) SERVER loaded;
SELECT * FROM loaded.progress WHERE progress IS NOT NULL;
\! rm "$FOLDER/loaded/progress.rdx"
-- Not in subtransactions, not in prepared transactions, and nothing is left over.
BEGIN;
SAVEPOINT s;
SELECT raydex_load('SELECT 1 AS a', :'copy');
ROLLBACK;
BEGIN;
SELECT raydex_load('SELECT 1 AS a', :'copy');
PREPARE TRANSACTION 'p';
SELECT raydex_load('SELECT 1 / (3 - id) AS a FROM heap.all_types', :'copy');
SELECT raydex_load('SELECT 1::numeric AS a', :'copy');
SELECT raydex_load('SELECT ARRAY[1] AS a', :'copy');
SELECT raydex_load('DELETE FROM heap.labels', :'copy');
SELECT raydex_load('SELECT 1 AS a', 'copy.rdx');
\set copy_csv :folder '/loaded/copy.csv'
SELECT raydex_load('SELECT 1 AS a', :'copy_csv');
SELECT raydex_load('SELECT ''infinity''::date AS a', :'copy');
SELECT count(*) FROM loaded.copy;
SELECT count(*) FROM pg_ls_dir(:'loaded') f WHERE f LIKE '%raydex-new%';
DROP SCHEMA loaded CASCADE;
DROP SERVER loaded;
-- Cubes.
\set files :folder '/files'
SELECT raydex_prepare('files', 'by_small', 'SELECT small, sum(ub), count(*) FROM all_types GROUP BY small');
SELECT compare('SELECT small, count(*) FROM all_types WHERE small > 3 GROUP BY small');
SELECT f FROM pg_ls_dir(:'files') f WHERE f LIKE 'by%';
IMPORT FOREIGN SCHEMA files LIMIT TO (by_small) FROM SERVER files INTO public;
SELECT raydex_prepare('files', 'by_small', 'SELECT name, count(*) FROM all_types GROUP BY name');
SELECT raydex_prepare('files', '../x', 'SELECT name, count(*) FROM all_types GROUP BY name');
SELECT raydex_prepare('files', 'two', 'SELECT name, count(*) FROM all_types GROUP BY name; DROP TABLE labels');
SELECT raydex_prepare('files', 'two', 'SELECT 1', 'hash');
SELECT raydex_prepare('none', 'two', 'SELECT 1');
-- A cursor keeps its rows while a cube is made; what is forgotten is closed after it.
BEGIN;
DECLARE c CURSOR FOR SELECT id FROM files.all_types ORDER BY id;
FETCH 1 FROM c;
SELECT raydex_prepare('files', 'by_b', 'SELECT b, count(*) FROM all_types GROUP BY b');
SELECT count(*) FROM files.labels;
FETCH 1 FROM c;
COMMIT;
SELECT compare('SELECT b, count(*) FROM all_types GROUP BY b');
\! rm "$FOLDER/files/by_b.view" "$FOLDER/files/by_small.view"
