-- Every type: as declared, and the ends of its values.
SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute
  WHERE attrelid = 'files.all_types'::regclass AND attnum > 0 ORDER BY attnum;
SELECT * FROM files.all_types WHERE id <= 3 ORDER BY id;
SELECT id, name, price, day, moment FROM files.all_types WHERE id BETWEEN 20 AND 30 ORDER BY id;
-- NULLs of each column.
SELECT count(*), count(flag), count(a), count(b), count(c), count(e), count(ua), count(ub), count(uc), count(ue), count(f),
  count(g), count(price), count(day), count(moment), count(name) FROM files.all_types;
-- Comparisons with each type's values, also the ends.
SELECT compare(format('SELECT id FROM all_types WHERE %I %s (SELECT %I FROM all_types WHERE id = %s)', c, o, c, i))
  FROM unnest('{flag,a,b,c,e,ua,ub,uc,ue,f,g,price,day,moment,name}'::text[]) c,
       unnest('{=,<>,<,<=,>,>=}'::text[]) o, unnest('{1,2,3,25}'::int[]) i
  EXCEPT SELECT 'same';
SELECT count(*) AS comparisons, count(*) FILTER (WHERE r = 'same') AS same FROM (
  SELECT compare(format('SELECT id FROM all_types WHERE %s %s %s', c, o, v)) AS r
  FROM unnest('{=,<>,<,<=,>,>=}'::text[]) o,
       (VALUES ('a', '1'), ('a', '100000::bigint'), ('e', '9223372036854775807'), ('e', '-9223372036854775808'),
               ('ue', '18446744073709551615'), ('ue', '0.5'), ('price', '-12345678901234.5678'), ('price', '1.005'),
               ('price', '3'), ('price', '''NaN'''), ('price', '1e30'), ('f', '0.25::real'), ('f', '0.1::float8'),
               ('f', '''Infinity'''), ('g', '''NaN'''), ('g', '-0.0'), ('g', '1e300'), ('day', '''2010-02-03'''),
               ('day', '''infinity'''), ('day', '''0044-03-15 BC'''), ('day', 'TIMESTAMP ''2010-02-03 12:00'''),
               ('moment', '''2003-01-01 05:00+02'''), ('moment', '''-infinity'''), ('name', '''Beta'''),
               ('name', '''it''''s'''), ('name', '''$1'''), ('name', 'E''a\\\\b'''), ('name', '''Å'''), ('flag', 'true'),
               ('c', 'b'), ('price', 'c'), ('uc', 'ub')) v(c, v)) x;
-- Results of aggregates have the types and digits that they have over heap tables.
SELECT compare('SELECT min(x), max(x), sum(y), avg(y), count(DISTINCT name) FROM (SELECT ' || c || ' AS x, ' || d ||
               ' AS y, name FROM all_types WHERE id > 3) s')
  FROM unnest('{a,b,c,e,ua,ub,uc,ue,f,g,price,day,moment}'::text[]) c, unnest('{a,b,c,e,uc,ue,price,g}'::text[]) d
  EXCEPT SELECT 'same';
SELECT sum(price), avg(price), sum(e), avg(small), sum(ue) FROM files.all_types WHERE id > 3;
SELECT sum(e), sum(ue), sum(price), sum(c) FROM files.all_types;
-- Parts of dates.
SELECT compare(format('SELECT extract(%s FROM day) AS x, count(*) FROM all_types WHERE extract(%s FROM day) > 1 GROUP BY 1', f, f))
  FROM unnest('{year,month,day,quarter,week,dow,isodow,doy,century,julian,epoch}'::text[]) f;
SELECT pushed('SELECT extract(year FROM day) AS y, count(*) FROM all_types GROUP BY 1 ORDER BY 1');
-- ANALYZE: rows, values of each column.
ANALYZE files.all_types;
SELECT reltuples, relpages > 0 FROM pg_class WHERE oid = 'files.all_types'::regclass;
SELECT count(*), sum((s.n_distinct = h.n_distinct AND s.null_frac = h.null_frac)::int) FROM pg_stats s JOIN pg_stats h
  USING (tablename, attname) WHERE tablename = 'all_types' AND s.schemaname = 'files' AND h.schemaname = 'heap';
SET default_statistics_target = 1;
ANALYZE files.all_types (id, name);
SELECT reltuples FROM pg_class WHERE oid = 'files.all_types'::regclass;
RESET default_statistics_target;
