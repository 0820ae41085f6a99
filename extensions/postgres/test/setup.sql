/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors
 *
 * Foreign tables in schema files, the same rows as heap tables in schema heap, and what compares them. */
\set files :folder '/files'
\set ssb :folder '/ssb'
CREATE EXTENSION raydex_fdw;
CREATE SERVER files FOREIGN DATA WRAPPER raydex_fdw OPTIONS (folder :'files');
CREATE SERVER ssb FOREIGN DATA WRAPPER raydex_fdw OPTIONS (folder :'ssb');
CREATE SCHEMA files;
CREATE SCHEMA heap;
IMPORT FOREIGN SCHEMA files FROM SERVER files INTO files;
IMPORT FOREIGN SCHEMA files FROM SERVER ssb INTO files;
DO $$
DECLARE t text;
BEGIN
  FOR t IN SELECT foreign_table_name FROM information_schema.foreign_tables WHERE foreign_table_schema = 'files' LOOP
    EXECUTE format('CREATE TABLE heap.%I AS SELECT * FROM files.%I', t, t);
    EXECUTE format('ANALYZE heap.%I', t);
  END LOOP;
END $$;

-- The rows of a query, in its order or any, as one text; the kind of its error. With values it is a prepared statement,
-- which knows none of them when it is planned. ORDER BY within an aggregate orders no rows.
CREATE FUNCTION answer(query text, schema text, pushdown text, "values" text DEFAULT NULL) RETURNS text
  LANGUAGE plpgsql AS $$
DECLARE
  result text;
  whole text := format('SELECT string_agg(q::text, E''\n'' %s) FROM (%s) q',
                       CASE WHEN regexp_replace(query, '(GROUP|_agg) ?\([^()]*(\([^()]*\)[^()]*)*\)', '', 'g') !~* 'ORDER BY'
                            THEN 'ORDER BY q::text COLLATE "C"' END, query);
BEGIN
  PERFORM set_config('search_path', schema || ', public', true), set_config('raydex.pushdown', pushdown, true);
  IF "values" IS NULL THEN
    EXECUTE whole INTO result;
  ELSE
    PERFORM set_config('plan_cache_mode', 'force_generic_plan', true);
    EXECUTE 'PREPARE answered AS ' || whole;
    EXECUTE format('EXECUTE answered(%s)', "values") INTO result;
    DEALLOCATE answered;
  END IF;
  RETURN coalesce(result, '');
EXCEPTION WHEN OTHERS THEN
  IF EXISTS (SELECT FROM pg_prepared_statements WHERE name = 'answered') THEN
    DEALLOCATE answered;
  END IF;
  RETURN 'error ' || sqlstate;
END $$;

-- "same" where heap tables, foreign tables, and foreign tables without pushdown give the same. Which of two conditions is
-- checked first, and so whether a row is there on which the other overflows, is open in SQL, as is the order of joins;
-- what overflows neither over heap tables nor without pushdown must not do so with it.
CREATE FUNCTION compare(query text, "values" text DEFAULT NULL) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  heap text := answer(query, 'heap', 'on', "values");
  pushed text := answer(query, 'files', 'on', "values");
  scanned text := answer(query, 'files', 'off', "values");
BEGIN
  IF heap = pushed AND heap = scanned THEN
    RETURN CASE WHEN heap LIKE 'error%' THEN heap ELSE 'same' END;
  END IF;
  IF query ~ '[-+*/] |abs\(' AND 'error 22003' IN (heap, scanned) AND
     (SELECT count(DISTINCT a) FROM unnest(ARRAY[heap, pushed, scanned]) a WHERE a <> 'error 22003') = 1 THEN
    RETURN 'overflows in one order of evaluation only';
  END IF;
  RETURN format(E'DIFFERENT: %s\nvalues:  %s\nheap:    %s\npushed:  %s\nscanned: %s', query, "values", left(heap, 300),
                left(pushed, 300), left(scanned, 300));
END $$;

-- The same with the constants that columns are compared with as parameters of a generic plan; infinite times are none
-- that Raydex could be told (docs/postgres.md).
CREATE FUNCTION compare_generic(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  constant constant text := $q$([<>=] |BETWEEN )((?!'infinity')'[^']*'|-?[0-9]+(?:\.[0-9]+)?)(?![0-9.'])$q$;
  prepared text := query;
  "values" text[] := '{}';
  found text[];
BEGIN
  LOOP
    found := regexp_match(prepared, constant);
    EXIT WHEN found IS NULL OR array_length("values", 1) = 9;
    "values" := "values" || quote_literal(trim('''' FROM found[2]));
    prepared := regexp_replace(prepared, constant, '\1$' || array_length("values", 1));
  END LOOP;
  RETURN CASE WHEN "values" = '{}' THEN compare(query) ELSE compare(prepared, array_to_string("values", ', ')) END;
END $$;

-- What of a query Raydex answers.
CREATE FUNCTION pushed(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  line text;
BEGIN
  PERFORM set_config('search_path', 'files, public', true);
  FOR line IN EXECUTE 'EXPLAIN (VERBOSE, COSTS OFF) ' || query LOOP
    IF line ~ 'Raydex SQL: ' THEN
      RETURN NEXT regexp_replace(line, '^ *Raydex SQL: ', '');
    END IF;
  END LOOP;
END $$;

-- The keys of the scan in EXPLAIN (ANALYZE, FORMAT JSON).
CREATE FUNCTION explained(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  plan json;
BEGIN
  EXECUTE 'EXPLAIN (ANALYZE, VERBOSE, FORMAT JSON) ' || query INTO plan;
  RETURN QUERY SELECT k FROM json_object_keys(plan -> 0 -> 'Plan') k WHERE k LIKE 'Raydex%' ORDER BY k;
END $$;

-- What takes long, and whether it ends when statement_timeout says so.
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
