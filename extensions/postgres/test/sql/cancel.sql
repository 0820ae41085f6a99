-- Statements that are cancelled leave the server and the session in order.
SET search_path = files, public;
CREATE FUNCTION cancelled(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  start timestamptz := clock_timestamp();
BEGIN
  PERFORM answer(query, 'files', 'on');
  RETURN 'it ended by itself';
EXCEPTION WHEN query_canceled THEN
  RETURN CASE WHEN clock_timestamp() - start < '2 s' THEN 'cancelled' ELSE 'late: ' || clock_timestamp() - start END;
END $$;
-- Whatever is done with 12 million pairs.
CREATE TABLE public.slow AS SELECT * FROM (VALUES
  ('joins', 'SELECT count(*) FROM %s WHERE a.lo_revenue + b.lo_revenue > 5'),
  ('groups', 'SELECT a.lo_orderkey, b.lo_partkey, sum(b.lo_revenue) FROM %s GROUP BY a.lo_orderkey, b.lo_partkey HAVING sum(b.lo_revenue) < 0'),
  ('sorts', 'SELECT a.lo_orderkey, b.lo_revenue FROM %s ORDER BY b.lo_extendedprice, a.lo_partkey, 1, 2'),
  ('distinct', 'SELECT DISTINCT a.lo_extendedprice, b.lo_partkey FROM %s'),
  ('counts of distinct', 'SELECT a.lo_suppkey, count(DISTINCT b.lo_extendedprice) FROM %s GROUP BY a.lo_suppkey'),
  ('rows', 'SELECT a.lo_orderpriority, b.lo_shipmode, b.lo_revenue FROM %s')) v (what, query);
UPDATE slow SET query = format(query, 'lineorder a JOIN lineorder b ON a.lo_custkey = b.lo_custkey');
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
