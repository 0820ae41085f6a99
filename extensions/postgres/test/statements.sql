/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors
 *
 * Random statements over the tables all_types and labels. */
CREATE OR REPLACE FUNCTION pick(VARIADIC words text[]) RETURNS text LANGUAGE sql VOLATILE AS
  $$ SELECT words[1 + floor(random() * array_length(words, 1))::int] $$;

CREATE OR REPLACE FUNCTION number_column(joined boolean) RETURNS text LANGUAGE sql VOLATILE AS
  $$ SELECT pick('id', 'a', 'b', 'c', 'ua', 'ub', 'uc', 'ue', 'small', 'price', 'f', 'g',
                 CASE WHEN joined THEN 'key' ELSE 'small' END, CASE WHEN joined THEN 'weight' ELSE 'price' END) $$;

CREATE OR REPLACE FUNCTION condition(joined boolean, depth int) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF depth > 0 AND random() < 0.5 THEN
    RETURN CASE floor(random() * 3)
      WHEN 0 THEN format('(%s AND %s)', condition(joined, depth - 1), condition(joined, depth - 1))
      WHEN 1 THEN format('(%s OR %s)', condition(joined, depth - 1), condition(joined, depth - 1))
      ELSE format('NOT %s', condition(joined, depth - 1)) END;
  END IF;
  RETURN CASE floor(random() * 12)
    WHEN 10 THEN pick('length(name) > 4', 'left(name, 1) = ''a''', 'starts_with(name, ''be'')', 'btrim(name, ''a'') <> ''lph''', 'ltrim(name) < ''b''',
                      'rtrim(name, ''ab'') = name', 'substring(name from 3) > ''m''', 'abs(small - 5) < 3', 'position(''l'' in name) = 2', 'name || name > ''c''',
                      'upper(name) = ''ALPHA''', 'lower(name) < ''c''', 'md5(name) > ''8''', 'name ^@ ''al''', 'split_part(name, ''a'', 2) = ''lph''', 'lpad(name, 3) = ''bet''', 'ascii(name) % 2 = 0',
                      'translate(name, ''ab'', ''b'') > ''b''', 'concat(name, ''x'', small::text) < ''c''', 'concat_ws(''-'', name, flag::text) > ''b''',
                      'abs(price) > 1.5', 'right(name, 2) = ''ta''', 'length(replace(name, ''a'', ''ää'')) > 5')
    WHEN 0 THEN format('(%s %s %s)', number_column(joined), pick('=', '<>', '<', '<=', '>', '>='),
                       pick('0', '1', '-1', '2.5', '0.25', '100', 'NULL', '-0.5', '-9.99', '-12345678901234.5678', '99999999999999.9999'))
    WHEN 1 THEN format('(%s BETWEEN %s AND %s)', number_column(joined), pick('-2', '0', '1', '-7.25'), pick('1', '3.5', '200', '-0.05'))
    WHEN 2 THEN format('(%s %sIN (%s, %s, %s))', number_column(joined), pick('NOT ', ''), pick('0', '1'), pick('2', 'NULL'), '3')
    WHEN 3 THEN format('(%s IS %sNULL)', pick('flag', 'name', 'day', 'moment', 'price', 'g'), pick('NOT ', ''))
    WHEN 4 THEN format('(name %s %L)', pick('LIKE', 'NOT LIKE', '=', '<>', '<', '>='), pick('%a', 'a%', '_eta', 'alpha', 'x_y', 'B', '$1', 'it''s'))
    WHEN 5 THEN format('(day %s %L)', pick('=', '<', '>='), pick('2010-02-03', '2003-10-27', '1900-01-01'))
    WHEN 6 THEN format('(moment %s %L)', pick('<', '>='), pick('2003-02-03 10:00+00', '2002-01-01', 'infinity'))
    WHEN 11 THEN pick('extract(year FROM day) > 2010', 'extract(dow FROM day) IN (0, 6)', 'extract(month FROM clock) < 7',
                      'date_trunc(''month'', clock) = ''2003-02-01''', 'date_part(''hour'', clock) >= 12', 'extract(second FROM clock) > 0.2',
                      'date_trunc(''quarter'', day::timestamp) < ''2010-01-01''', 'clock::date = ''2003-02-01''', 'day - date ''2010-01-01'' > 100', 'day - 30 < ''2010-01-01''',
                      'extract(epoch FROM clock) > 1000000000', 'extract(decade FROM day) = 200', 'extract(microseconds FROM clock) > 0', 'small / 2 = 3', 'a % 2 = 0', 'e % 1000 > 500', 'small::float8 > 2.5', 'nullif(small, 3) > 2', 'greatest(small, a) > least(b, 4)',
                      'CASE WHEN small > 4 THEN price > 0 ELSE flag END', 'name IN (''alpha'', ''zeta'', NULL)', 'name NOT IN (''Beta'', ''x_y'')')
    WHEN 7 THEN format('(flag IS %s)', pick('TRUE', 'NOT TRUE', 'FALSE', 'UNKNOWN', 'NOT UNKNOWN'))
    WHEN 8 THEN format('(%s %s %s %s 3)', pick('small', 'a', 'b', 'price', 'c'), pick('+', '-', '*'), pick('2', 'small', 'id'), pick('<', '=', '>'))
    ELSE format('(%s IS %sDISTINCT FROM %s)', pick('small', 'a', 'b'), pick('NOT ', ''), pick('1', 'a', 'c')) END;
END $$;

-- One that changes nothing but the rows that count has FILTER at times. The first two rows have values near the ends of doubles.
CREATE OR REPLACE FUNCTION aggregate(joined boolean) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  one text := pick('count(*)', 'count(name)', 'count(DISTINCT small)', 'sum(small)', 'sum(price)', 'avg(small)', 'avg(price)',
                         'min(price)', 'max(day)', 'min(name)', 'max(ue)', 'sum(a) FILTER (WHERE small > 3)', 'bool_or(flag)',
                         'sum(small * 2 + 1)', 'avg(uc)', 'sum(ub)', 'min(moment)', 'max(g)', 'sum(e)',
                         'sum(f)', 'avg(f)', 'sum(g) FILTER (WHERE g > -9)', 'avg(coalesce(g, 1)) FILTER (WHERE id > 1)', 'sum(coalesce(a, 0))',
                         'sum(CASE WHEN flag THEN small ELSE 0 END)', 'count(CASE small WHEN 3 THEN 1 WHEN ua THEN 2 END)',
                         'sum(CASE WHEN small > 3 THEN price WHEN flag THEN 1.2500 END)', 'max(CASE WHEN flag THEN name END)',
                         'sum(CASE WHEN flag THEN price ELSE 0 END)',
                         'sum(length(name))', 'sum(abs(a) + small)', 'max(octet_length(name))', 'min(reverse(name))', 'avg(abs(ua - small))', 'sum(abs(b))', 'min(coalesce(price, 0.5))',
                         'sum(DISTINCT small)', 'avg(DISTINCT price)', 'count(DISTINCT name)', 'sum(DISTINCT price)', 'max(clock)', 'min(date_trunc(''day'', clock))',
                         'round(stddev(f::float8)::numeric, 6)', 'round(variance(a::float8)::numeric, 6)', 'round(var_pop(f)::numeric, 4)',
                         'round(stddev_pop(g)::numeric, 6)', 'round(stddev(DISTINCT f)::numeric, 6)', 'stddev(small)', 'var_samp(price)',
                         'var_pop(a)', 'stddev_samp(ub)', 'variance(small * 2)', 'stddev_pop(extract(second FROM clock))', 'variance(b)', 'stddev(DISTINCT a)',
                         'regr_count(g, f)', 'regr_count(small, a)', 'round((covar_pop(g, f) FILTER (WHERE id > 2) + 0.0000003)::numeric, 6)', 'round((corr(small, ua) FILTER (WHERE id > 3))::numeric, 6)',
                         'round((regr_slope(b, small) FILTER (WHERE id > 3))::numeric, 6)', 'round((regr_r2(ua, small) FILTER (WHERE id > 3))::numeric, 6)', 'round((regr_intercept(small, ua) FILTER (WHERE id > 3))::numeric, 6)',
                         'round((regr_avgx(small, g) FILTER (WHERE id > 2))::numeric, 6)', 'round((regr_sxy(small, ub) FILTER (WHERE flag))::numeric, 4)', 'percentile_cont(0.3) WITHIN GROUP (ORDER BY small)', 'percentile_cont(0.75) WITHIN GROUP (ORDER BY g DESC)',
                         'percentile_disc(0.4) WITHIN GROUP (ORDER BY price)', 'percentile_disc(0.9) WITHIN GROUP (ORDER BY name DESC)', 'percentile_disc(0) WITHIN GROUP (ORDER BY day)',
                         'mode() WITHIN GROUP (ORDER BY name)', 'mode() WITHIN GROUP (ORDER BY b DESC)', 'string_agg(name, ''+'' ORDER BY name)', 'string_agg(DISTINCT name, '''' ORDER BY name DESC)',
                         'string_agg(left(name, 2), '','' ORDER BY small, left(name, 2) NULLS FIRST)', 'sum(small / 3)', 'sum(c % 10)', 'avg(mod(b, 7))', 'sum(a::float8)', 'max(upper(name))',
                         'sum(nullif(small, 3))', 'max(greatest(small, a, 3))', 'min(least(name, ''c''))', 'bool_and(small > 2)', 'every(flag)',
                         'sum(extract(day FROM clock))', 'avg(extract(second FROM clock))', 'sum(-price)', 'sum(price - 3.25)', 'avg(small) * 2 - min(a)');
BEGIN
  IF one LIKE '%std%' OR one LIKE '%var%' THEN
    RETURN regexp_replace(one, '((?:stddev|var)[^(]*\((?:DISTINCT )?(?:[a-z0-9:* ]|extract\([^)]*\))+\))', '\1 FILTER (WHERE id > 2)');
  END IF;
  RETURN CASE WHEN random() < 0.8 OR one LIKE '%FILTER%' OR one LIKE '%) *%' THEN one
              ELSE format('%s FILTER (WHERE %s)', one, condition(joined, 1)) END;
END $$;

CREATE OR REPLACE FUNCTION statement() RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  joined boolean := random() < 0.5;
  source text := CASE WHEN joined THEN pick('all_types JOIN labels ON key = small', 'all_types, labels', 'all_types LEFT JOIN labels ON key = a', 'labels RIGHT JOIN all_types ON key = b AND weight < 3',
                                            'all_types LEFT JOIN labels ON key = ub AND small > 2 AND label <> ''two''',
                                            'labels JOIN all_types ON key = id AND weight > 1') ELSE 'all_types' END;
  subquery text := CASE WHEN random() < 0.2 THEN format(' AND %s (SELECT FROM labels l WHERE l.key = %s AND %s)', pick('EXISTS', 'NOT EXISTS'),
                         pick('small', 'a', 'id'), pick('l.weight > 1', 'l.label <> name', 'l.key <> ub')) ELSE '' END;
  filter text := condition(joined, 2) || subquery || CASE WHEN source LIKE '%,%' THEN ' AND key = ' || pick('small', 'a', 'ub') ELSE '' END;
  g text := pick('small', 'name', 'flag', 'a', 'day', 'price', 'coalesce(name, ''none'')',
                 'CASE WHEN small > 5 THEN name WHEN flag THEN ''yes'' ELSE ''no'' END', 'coalesce(small, a, 7)', 'length(name)', 'left(name, 2)', 'substr(name, 2, 3)', 'name || ''-'' || name', 'abs(small)',
                 'replace(name, ''a'', ''--'')', 'right(name, -1)', 'abs(price)', 'strpos(name, ''t'')', 'extract(year FROM day)', 'extract(month FROM clock)', 'date_trunc(''year'', clock)',
                 'upper(name)', 'small / 4', 'mod(b, 5)', 'a::text', 'clock::date', 'day - 3', 'md5(left(name, 1))', 'rpad(name, 3, ''-'')', 'floor(g)', 'sign(g)', 'extract(isoyear FROM day)',
                 'date_trunc(''decade'', clock)', 'overlay(name PLACING ''__'' FROM 2)', 'small::float8', 'concat(left(name, 1), flag::text)', 'initcap(name)', 'initcap(name)', 'initcap(name) || small', 'to_char(day, ''YYYY-MM'')', 'id::smallint',
                 'date_trunc(''month'', day::timestamp)', 'date_part(''dow'', clock)', 'nullif(small, a)', 'greatest(a, small)', 'least(price, 2.5000)');
  h text := pick('small', 'ua', 'b', 'flag');
  aggregate text := aggregate(joined);
BEGIN
  RETURN CASE floor(random() * 10)
    WHEN 6 THEN format('SELECT y, count(*), sum(n), count(x) FROM (SELECT %s AS x, %s AS y, count(*) AS n FROM %s WHERE %s GROUP BY 1, 2) s GROUP BY y', g, h, source, filter)
    WHEN 7 THEN format('SELECT %s AS y, %s AS x FROM %s WHERE %s GROUP BY 1 %s SELECT %s, %s FROM %s WHERE %s GROUP BY 1', h, aggregate, source, filter,
                       pick('UNION ALL', 'UNION', 'EXCEPT', 'INTERSECT'), h, aggregate, source, condition(joined, 1))
    WHEN 8 THEN format('SELECT %s, %s AS y, count(*), rank() OVER (ORDER BY count(*), %s, %s) FROM %s WHERE %s GROUP BY 1, 2', g, h, g, h, source, filter)
    WHEN 9 THEN format('WITH w AS (SELECT %s AS y, %s AS x FROM %s WHERE %s GROUP BY 1) SELECT id, x FROM all_types JOIN w ON y::text = %s::text WHERE %s',
                       h, aggregate, source, filter, h, condition(false, 1))
    WHEN 0 THEN format('SELECT id, %s, name, price, g, moment FROM %s WHERE %s', number_column(joined), source, filter)
    WHEN 1 THEN format('SELECT %s, %s FROM %s WHERE %s', aggregate, pick('count(*)', 'sum(id)'), source, filter)
    WHEN 2 THEN format('SELECT %s, %s AS x, count(*) FROM %s WHERE %s GROUP BY 1', g, aggregate, source, filter)
    WHEN 3 THEN format('SELECT %s, %s AS y, %s AS x FROM %s WHERE %s GROUP BY 1, 2 HAVING %s', g, h, aggregate, source, filter,
                       pick('count(*) > 1', 'sum(small) > 10', 'avg(small) > 2', 'min(price) IS NOT NULL', 'max(name) > ''b''', 'count(DISTINCT small) > 1', 'sum(price) < -0.5', 'NOT bool_or(flag)',
                            'avg(price) > 0.5 OR count(*) = 1', 'min(day) < ''2010-01-01'' AND sum(small) IS NOT NULL'))
    WHEN 4 THEN format('SELECT DISTINCT %s, %s AS y FROM %s WHERE %s ORDER BY 1 %s, 2 %s LIMIT %s', g, h, source, filter,
                       pick('ASC', 'DESC', 'ASC NULLS FIRST', 'DESC NULLS LAST'), pick('ASC', 'DESC'), pick('1', '5', '1000'))
    ELSE format('SELECT %s, %s AS y, count(*), sum(small) FROM %s WHERE %s GROUP BY 1, 2 ORDER BY 3 DESC, 1 %s, 2 %s LIMIT %s OFFSET %s',
                g, h, source, filter, pick('ASC', 'DESC', 'ASC NULLS FIRST', 'DESC NULLS LAST'), pick('ASC', 'DESC'),
                pick('1', '5', '1000'), pick('0', '2')) END;
END $$;

-- One with outer joins of three or four tables.
CREATE OR REPLACE FUNCTION outer_statement() RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  source text := 'all_types a';
  columns text[] := '{a.small,a.a,a.ua,a.id,a.b}';
  t text;
BEGIN
  FOR i IN 1..1 + floor(random() * 3)::int LOOP
    t := pick('labels', 'labels', 'all_types');
    source := format('%s %s %s t%s ON %s = t%s.%s %s', source,
      pick('JOIN', 'LEFT JOIN', 'LEFT JOIN', 'RIGHT JOIN', 'FULL JOIN'), t, i, pick(VARIADIC columns), i,
      CASE t WHEN 'labels' THEN 'key' ELSE 'id' END,
      pick('', '', format('AND t%s.%s > %s', i, CASE t WHEN 'labels' THEN 'weight' ELSE 'small' END, pick('1', '2', 'a.a')),
           format('AND a.small < %s', pick('3', '9'))));
    columns := columns || CASE t WHEN 'labels' THEN ARRAY[format('t%s.key', i)]
                          ELSE ARRAY[format('t%s.small', i), format('t%s.id', i)] END;
  END LOOP;
  RETURN CASE floor(random() * 3)
    WHEN 0 THEN format('SELECT count(*), count(%s), sum(%s), max(%s) FROM %s WHERE %s', pick(VARIADIC columns),
      pick(VARIADIC columns), pick(VARIADIC columns), source,
      pick('a.id > 3', 'true', format('%s IS NULL', pick(VARIADIC columns)), format('%s IS NOT NULL', pick(VARIADIC columns)),
           format('coalesce(%s, 3) = 3', pick(VARIADIC columns)), format('%s > 2 OR a.flag', pick(VARIADIC columns)),
           format('EXISTS (SELECT FROM labels e WHERE e.key = %s)', pick(VARIADIC columns)),
           format('NOT EXISTS (SELECT FROM labels e WHERE e.key = %s)', pick(VARIADIC columns))))
    WHEN 1 THEN format('SELECT %s AS g, count(*), count(%s) FROM %s GROUP BY 1', pick(VARIADIC columns),
                       pick(VARIADIC columns), source)
    ELSE format('SELECT a.id, %s AS x, %s AS y FROM %s WHERE %s < 9', pick(VARIADIC columns), pick(VARIADIC columns),
                source, pick(VARIADIC columns)) END;
END $$;
