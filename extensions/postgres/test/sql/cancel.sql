-- Statements that are cancelled leave the server and the session in order.
SET search_path = files, public;
SET statement_timeout = '30ms';
SELECT what, cancelled(query) FROM slow WHERE what = 'joins';
SELECT what, cancelled(query) FROM slow WHERE what = 'groups';
SELECT what, cancelled(query) FROM slow WHERE what = 'sorts';
SELECT what, cancelled(query) FROM slow WHERE what = 'distinct';
SELECT what, cancelled(query) FROM slow WHERE what = 'counts of distinct';
SELECT what, cancelled(query) FROM slow WHERE what = 'rows';
-- A load, of rows of PostgreSQL and of Raydex: the file is as it was.
\set kept :folder '/loaded/kept.rdx'
RESET statement_timeout;
SELECT raydex_load('SELECT 1 AS a', :'kept');
SELECT clock_timestamp() AS start \gset
SET statement_timeout = '30ms';
SELECT raydex_load('SELECT i, i::text AS t FROM generate_series(1, 10000000) i', :'kept');
SELECT raydex_load('SELECT a.lo_orderkey, b.lo_shipmode FROM lineorder a JOIN lineorder b ON a.lo_custkey = b.lo_custkey', :'kept');
RESET statement_timeout;
SELECT clock_timestamp() - :'start' < '3 s' AS soon;
SELECT f FROM pg_ls_dir(:'folder' || '/loaded') f WHERE f LIKE '%kept%' OR f LIKE '%raydex-new%';
\! rm "$FOLDER/loaded/kept.rdx"
SELECT count(*) FROM labels;
