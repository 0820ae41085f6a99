/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors
 *
 * A fact table over several servers, with a copy of each dimension on each of them. docs/distribution.md describes it.
 * The extension is made on all servers: nodes have raydex.commands, which runs what the coordinator asks within the
 * transaction of postgres_fdw.
 *
 * A distributed table is partitioned by LIST of the shard of a row, a hash of its key; each server has one partition.
 * What moves shards makes new tables on all servers that give or take some, switches to them in one transaction, and
 * drops the old ones after it. So nothing is lost whenever it stops. */

-- For CREATE EXTENSION only.
\echo Use "CREATE EXTENSION raydex_distribution" to load this file. \quit

-- ---- What is distributed ----

CREATE TABLE facts (
  fact regclass PRIMARY KEY,
  shard text NOT NULL,            -- the expression of a row's shard
  shards integer NOT NULL,        -- how many there are: 0 to shards - 1
  dimensions regclass[] NOT NULL,
  files name                      -- the server of raydex_fdw on each node; NULL: nodes have tables of PostgreSQL
);

-- parts.c knows the order of the columns.
CREATE TABLE parts (
  relation regclass,
  server name,
  part regclass NOT NULL,         -- a foreign table
  shards bigint[],                -- those of a fact table; NULL: all rows of a dimension
  changed boolean NOT NULL DEFAULT false, -- the dimension has changed since
  PRIMARY KEY (relation, server)
);

-- Tables of nodes that nothing uses any more.
CREATE TABLE leftovers (
  relation regclass,
  server name NOT NULL,
  node_table name NOT NULL,
  files name
);

CREATE SEQUENCE generation;
CREATE SCHEMA raydex_shards;
COMMENT ON SCHEMA raydex_shards IS 'parts of tables that raydex.distribute() has spread over servers';
GRANT USAGE ON SCHEMA raydex TO PUBLIC;
GRANT USAGE, CREATE ON SCHEMA raydex_shards TO PUBLIC;
GRANT USAGE ON SEQUENCE generation TO PUBLIC;
SELECT pg_catalog.pg_extension_config_dump('facts', '');
SELECT pg_catalog.pg_extension_config_dump('parts', '');
SELECT pg_catalog.pg_extension_config_dump('leftovers', '');
SELECT pg_catalog.pg_extension_config_dump('generation', '');

-- Everyone sees what is distributed; owners of tables change what is said of these.
CREATE FUNCTION owns(relation regclass) RETURNS boolean LANGUAGE sql STABLE SET search_path = pg_catalog AS
  'SELECT pg_has_role(c.relowner, ''USAGE'') FROM pg_class c WHERE c.oid = $1';
DO $$
DECLARE
  t text;
BEGIN
  FOREACH t IN ARRAY '{facts,parts,leftovers}'::text[] LOOP
    EXECUTE format('ALTER TABLE raydex.%I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON raydex.%I TO PUBLIC', t);
    EXECUTE format('CREATE POLICY seen ON raydex.%I FOR SELECT USING (true)', t);
    EXECUTE format('CREATE POLICY own ON raydex.%I USING (raydex.owns(%I))', t,
                   CASE t WHEN 'facts' THEN 'fact' ELSE 'relation' END);
  END LOOP;
END $$;

-- ---- On nodes ----

CREATE VIEW commands AS SELECT NULL::text AS command, NULL::text AS result WHERE false;
COMMENT ON VIEW commands IS 'INSERT runs a command, with the rights of who inserts';
CREATE FUNCTION run_command() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.command ~* '^\s*(SELECT|WITH)\M' THEN
    EXECUTE NEW.command INTO NEW.result;
  ELSE
    EXECUTE NEW.command;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER run INSTEAD OF INSERT ON commands FOR EACH ROW EXECUTE FUNCTION run_command();
GRANT INSERT, SELECT ON commands TO PUBLIC;

CREATE FUNCTION remove_file(server name, "table" text) RETURNS boolean
  AS 'MODULE_PATHNAME', 'raydex_remove_file' LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;
REVOKE ALL ON FUNCTION remove_file(name, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION remove_file(name, text) TO pg_write_server_files;
COMMENT ON FUNCTION remove_file(name, text) IS 'remove a table file from the folder of a server';

-- ---- On the coordinator: plans and dimensions ----

CREATE FUNCTION forget_plans(relation regclass) RETURNS void
  AS 'MODULE_PATHNAME', 'raydex_forget_plans' LANGUAGE C STRICT VOLATILE;
-- Who may change a dimension need not own it.
CREATE FUNCTION mark_changed() RETURNS trigger
  AS 'MODULE_PATHNAME', 'raydex_mark_changed' LANGUAGE C SECURITY DEFINER SET search_path = pg_catalog;

-- ---- On the coordinator: commands and tables of nodes ----

CREATE FUNCTION on_node(server name, command text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  answer text;
  entry text := format('raydex_shards.%I', 'command_' || pg_backend_pid());
BEGIN
  EXECUTE format('CREATE FOREIGN TABLE %s (command text, result text) SERVER %I
                  OPTIONS (schema_name ''raydex'', table_name ''commands'')', entry, server);
  EXECUTE format('INSERT INTO %s VALUES ($1) RETURNING result', entry) INTO answer USING command;
  EXECUTE format('DROP FOREIGN TABLE %s', entry);
  RETURN answer;
END $$;
COMMENT ON FUNCTION on_node(name, text) IS 'run a command on a node within this transaction; the first value that it gives';

CREATE FUNCTION on_nodes(relation regclass, command text) RETURNS TABLE (node name, result text) LANGUAGE sql AS
  'SELECT p.server, raydex.on_node(p.server, $2) FROM raydex.parts p WHERE p.relation = $1 ORDER BY p.server';
COMMENT ON FUNCTION on_nodes(regclass, text) IS 'run a command on all nodes of a distributed table';

-- "a, b, c"; with types; with types that table files have.
CREATE FUNCTION column_list(relation regclass, types boolean, files boolean DEFAULT false) RETURNS text
LANGUAGE sql STABLE AS $$
  SELECT string_agg(quote_ident(a.attname) || CASE WHEN $2 THEN
           ' ' || CASE WHEN $3 AND t.typname = 'varchar' THEN 'text' ELSE format_type(a.atttypid, a.atttypmod) END ||
           CASE WHEN a.attcollation <> t.typcollation THEN
             (SELECT format(' COLLATE %I.%I', n.nspname, c.collname) FROM pg_catalog.pg_collation c
              JOIN pg_catalog.pg_namespace n ON n.oid = c.collnamespace WHERE c.oid = a.attcollation) ELSE '' END ||
           CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END
         ELSE '' END, ', ' ORDER BY a.attnum)
  FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
  WHERE a.attrelid = $1 AND a.attnum > 0 AND NOT a.attisdropped $$;

-- "shard is one of these"; true: all are.
CREATE FUNCTION in_shards(shard text, shards bigint[]) RETURNS text LANGUAGE sql IMMUTABLE AS
  'SELECT CASE WHEN $2 IS NULL THEN ''true'' ELSE format(''%s = ANY (%L::bigint[])'', $1, $2) END';

-- The foreign table of a table of a node. Rows are sent in messages of at most 65535 parameters.
CREATE FUNCTION add_foreign_table(named text, server name, columns text) RETURNS regclass LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE FOREIGN TABLE raydex_shards.%1$I (%3$s) SERVER %2$I OPTIONS (schema_name ''raydex_shards'',
                  table_name %1$L, async_capable ''true'', use_remote_estimate ''false'', fetch_size ''10000'',
                  batch_size ''%4$s'')', named, server, columns,
                 least(2000, 60000 / (1 + length(columns) - length(replace(columns, ',', '')))));
  RETURN format('raydex_shards.%I', named)::regclass;
END $$;

-- The folder of table files on a node, and the schema of raydex_load there.
CREATE FUNCTION node_folder(server name, files name, OUT folder text, OUT loader text) LANGUAGE plpgsql AS $$
BEGIN
  folder := raydex.on_node(server, format(
    'SELECT o.option_value FROM pg_catalog.pg_foreign_server s, pg_catalog.pg_options_to_table(s.srvoptions) o
     WHERE s.srvname = %L AND o.option_name = ''folder''', files));
  loader := raydex.on_node(server,
    'SELECT e.extnamespace::regnamespace::text FROM pg_catalog.pg_extension e WHERE e.extname = ''raydex_fdw''');
  IF folder IS NULL OR loader IS NULL THEN
    RAISE EXCEPTION 'node "%" has no server "%" of raydex_fdw', server, files
      USING HINT = format('On the node: CREATE SERVER %I FOREIGN DATA WRAPPER raydex_fdw OPTIONS (folder ...)', files);
  END IF;
END $$;

-- Have a node write a table file of the rows that it has been sent, in the table `sent`, and of those that it keeps.
CREATE FUNCTION write_file(relation regclass, server name, named text, sent text, kept text, files name) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  place record := raydex.node_folder(server, files);
  names text := raydex.column_list(relation, false);
BEGIN
  PERFORM raydex.on_node(server, format('SELECT %s.raydex_load(%L, %L)', place.loader,
    format('SELECT %s FROM raydex_shards.%I', names, sent) || coalesce(' UNION ALL ' || kept, ''),
    place.folder || '/' || named || '.rdx'));
  PERFORM raydex.on_node(server, format('CREATE FOREIGN TABLE raydex_shards.%I (%s) SERVER %I OPTIONS ("table" %L)',
                                        named, raydex.column_list(relation, true, true), files, named));
  PERFORM raydex.on_node(server, format('DROP TABLE raydex_shards.%I', sent));
END $$;

-- A table on a node, and its foreign table here: the rows of `source`, a table here, in the shards `come`, and those of
-- the table `old` on the node in the shards `stay`.
CREATE FUNCTION add_part(relation regclass, server name, source regclass, shard text, come bigint[], old text,
                         stay bigint[], files name) RETURNS regclass LANGUAGE plpgsql AS $$
DECLARE
  c record;
  named text;
  sent text;
  names text := raydex.column_list(relation, false);
  columns text := raydex.column_list(relation, true);
  kept text := format('SELECT %s FROM %s WHERE %s', names, old, raydex.in_shards(shard, stay));
  part regclass;
BEGIN
  SELECT relname, pg_get_userbyid(relowner) AS owner INTO STRICT c FROM pg_catalog.pg_class WHERE oid = relation;
  named := format('%s_%s_%s', c.relname, server, nextval('raydex.generation'));
  sent := named || CASE WHEN files IS NULL THEN '' ELSE '_rows' END;
  IF length(sent) > 63 THEN
    RAISE EXCEPTION 'the name "%" has more than 63 letters', sent USING HINT = 'Rename the table or the server.';
  END IF;
  PERFORM raydex.on_node(server, format('CREATE TABLE raydex_shards.%I (%s)', sent, columns));
  part := raydex.add_foreign_table(sent, server, columns);
  EXECUTE format('INSERT INTO %s (%s) SELECT %s FROM %s WHERE %s', part, names, names, source,
                 raydex.in_shards(shard, come));
  IF files IS NOT NULL THEN
    PERFORM raydex.write_file(relation, server, named, sent, CASE WHEN old IS NOT NULL THEN kept END, files);
    EXECUTE format('DROP FOREIGN TABLE %s', part);
    part := raydex.add_foreign_table(named, server, columns);
  ELSIF old IS NOT NULL THEN
    PERFORM raydex.on_node(server, format('INSERT INTO raydex_shards.%I (%s) %s', sent, names, kept));
  END IF;
  IF c.owner <> current_user THEN
    EXECUTE format('ALTER FOREIGN TABLE %s OWNER TO %I', part, c.owner);
  END IF;
  RETURN part;
END $$;

-- Stop using a part. Its table on the node goes after this transaction.
CREATE FUNCTION leave_part(relation regclass, server name, part regclass, files name) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO raydex.leftovers SELECT leave_part.relation, leave_part.server, c.relname, leave_part.files
    FROM pg_catalog.pg_class c WHERE c.oid = leave_part.part;
  EXECUTE format('DROP FOREIGN TABLE %s', part);
END $$;

CREATE FUNCTION lock_table(relation regclass) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.oid = relation AND c.relkind IN ('r', 'p')) THEN
    EXECUTE format('LOCK TABLE ONLY %s IN SHARE MODE', relation);
  END IF;
END $$;

CREATE FUNCTION add_copies(dimensions regclass[], server name, files name) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  d regclass;
BEGIN
  FOREACH d IN ARRAY dimensions LOOP
    CONTINUE WHEN EXISTS (SELECT FROM raydex.parts p WHERE p.relation = d AND p.server = add_copies.server);
    PERFORM raydex.lock_table(d);
    INSERT INTO raydex.parts (relation, server, part)
      VALUES (d, add_copies.server, raydex.add_part(d, add_copies.server, d, NULL, NULL, NULL, NULL, files));
    IF EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.oid = d AND c.relkind IN ('r', 'p')) AND
       NOT EXISTS (SELECT FROM pg_catalog.pg_trigger t WHERE t.tgrelid = d AND t.tgname = 'raydex_changed') THEN
      EXECUTE format('CREATE TRIGGER raydex_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON %s
                      FOR EACH STATEMENT EXECUTE FUNCTION raydex.mark_changed()', d);
    END IF;
  END LOOP;
END $$;

-- Statistics. Those of foreign tables need all rows to come here.
CREATE FUNCTION analyze_parts(relation regclass) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  p record;
BEGIN
  FOR p IN SELECT q.part, q.server, c.relname FROM raydex.parts q, pg_catalog.pg_class c
           WHERE q.relation = analyze_parts.relation AND c.oid = q.part AND c.reltuples < 0 LOOP
    PERFORM raydex.on_node(p.server, format('ANALYZE raydex_shards.%I', p.relname));
    EXECUTE format('ANALYZE %s', p.part);
  END LOOP;
END $$;

-- ---- Checks ----

CREATE FUNCTION in_transaction_block() RETURNS boolean
  AS 'MODULE_PATHNAME', 'raydex_in_transaction_block' LANGUAGE C STRICT VOLATILE;

-- Before there is work to lose.
CREATE FUNCTION check_no_transaction() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF raydex.in_transaction_block() THEN
    RAISE EXCEPTION 'tables cannot be distributed within a transaction block'
      USING ERRCODE = 'active_sql_transaction', HINT = 'COMMIT first: these procedures commit on their own.';
  END IF;
END $$;

CREATE FUNCTION check_owner(relation regclass) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF NOT raydex.owns(relation) THEN
    RAISE EXCEPTION 'must be owner of table %', relation USING ERRCODE = 'insufficient_privilege';
  END IF;
END $$;

CREATE FUNCTION check_fact(fact regclass) RETURNS raydex.facts LANGUAGE plpgsql AS $$
DECLARE
  f raydex.facts;
BEGIN
  PERFORM raydex.check_owner(fact);
  SELECT * INTO f FROM raydex.facts g WHERE g.fact = check_fact.fact;
  IF NOT FOUND THEN
    RAISE EXCEPTION '% is not distributed', fact USING HINT = 'CALL raydex.distribute() distributes it.';
  END IF;
  RETURN f;
END $$;

CREATE FUNCTION check_servers(servers name[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  s name;
BEGIN
  IF coalesce(cardinality(servers), 0) = 0 OR
     cardinality(servers) <> (SELECT count(DISTINCT u) FROM unnest(servers) u) THEN
    RAISE EXCEPTION 'there are no servers, or one of them twice';
  END IF;
  FOREACH s IN ARRAY servers LOOP
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_foreign_server f JOIN pg_catalog.pg_foreign_data_wrapper w
                   ON w.oid = f.srvfdw WHERE f.srvname = s AND w.fdwname = 'postgres_fdw') THEN
      RAISE EXCEPTION 'there is no server "%" of postgres_fdw', s
        USING HINT = format('CREATE SERVER %I FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host ..., dbname ...)', s);
    END IF;
  END LOOP;
END $$;

CREATE FUNCTION check_distribute(fact regclass, dimensions regclass[], servers name[], shards integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  d regclass;
BEGIN
  FOREACH d IN ARRAY fact || dimensions LOOP
    PERFORM raydex.check_owner(d);
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.oid = d AND c.relkind IN ('r', 'f', 'p')) THEN
      RAISE EXCEPTION '% is no table', d;
    END IF;
    IF EXISTS (SELECT FROM raydex.facts f WHERE f.fact = d) THEN
      RAISE EXCEPTION '% is distributed already', d USING HINT = 'CALL raydex.add_node() adds servers.';
    END IF;
  END LOOP;
  IF fact = ANY (dimensions) THEN
    RAISE EXCEPTION '% cannot be a dimension of itself', fact;
  END IF;
  PERFORM raydex.check_servers(servers);
  IF shards < cardinality(servers) OR shards > 4096 THEN
    RAISE EXCEPTION '% shards are too few or too many for % servers', shards, cardinality(servers)
      USING HINT = 'There is at least one for each server, and at most 4096.';
  END IF;
  IF current_setting('shared_preload_libraries') || current_setting('session_preload_libraries') !~ 'raydex_fdw' THEN
    RAISE WARNING 'raydex_fdw is not preloaded: nodes will send rows, not groups'
      USING HINT = format('ALTER DATABASE %I SET session_preload_libraries = raydex_fdw', current_database());
  END IF;
END $$;

-- The shard of a row, as SQL.
CREATE FUNCTION shard_expression(fact regclass, key name, shards integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  kind regtype;
  hash text;
BEGIN
  SELECT a.atttypid INTO kind FROM pg_catalog.pg_attribute a
    WHERE a.attrelid = fact AND a.attname = key AND a.attnum > 0 AND NOT a.attisdropped;
  hash := CASE WHEN kind IN ('smallint', 'integer', 'bigint') THEN 'pg_catalog.hashint8extended(%I::bigint, 0)'
               WHEN kind IN ('text', 'varchar') THEN 'pg_catalog.hashtextextended(%I::text COLLATE "C", 0)'
               WHEN kind = 'numeric'::regtype THEN 'pg_catalog.hash_numeric_extended(%I, 0)' END;
  IF hash IS NULL THEN
    RAISE EXCEPTION 'column "%" of % cannot be the key of its shards', key, fact
      USING HINT = 'The key is a column of integers, numeric or texts, of many values.';
  END IF;
  RETURN format('COALESCE(pg_catalog.abs(' || hash || ' %% %s), 0)', key, shards);
END $$;

-- ---- Distribute ----

-- The table that takes the place of `fact`, which keeps its rows under another name.
CREATE FUNCTION replace_fact(fact regclass, shard text) RETURNS regclass LANGUAGE plpgsql AS $$
DECLARE
  c record;
  g record;
  whole text;
BEGIN
  SELECT t.relname, n.nspname, t.relkind, t.relowner, t.relacl INTO STRICT c
    FROM pg_catalog.pg_class t JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace WHERE t.oid = fact;
  whole := format('%I.%I', c.nspname, c.relname);
  EXECUTE format('ALTER %s %s RENAME TO %I', CASE c.relkind WHEN 'f' THEN 'FOREIGN TABLE' ELSE 'TABLE' END, whole,
                 c.relname || '_local');
  EXECUTE format('CREATE TABLE %s (LIKE %I.%I INCLUDING DEFAULTS) PARTITION BY LIST ((%s))', whole, c.nspname,
                 c.relname || '_local', shard);
  EXECUTE format('ALTER TABLE %s OWNER TO %I', whole, pg_get_userbyid(c.relowner));
  FOR g IN SELECT a.* FROM aclexplode(c.relacl) a WHERE a.grantee <> c.relowner LOOP
    EXECUTE format('GRANT %s ON %s TO %s%s', g.privilege_type, whole,
                   CASE g.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(g.grantee)) END,
                   CASE WHEN g.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END);
  END LOOP;
  RETURN whole::regclass;
END $$;

CREATE FUNCTION attach_part(fact regclass, server name, part regclass, shards bigint[]) RETURNS void
LANGUAGE plpgsql AS $$
#variable_conflict use_variable
BEGIN
  EXECUTE format('ALTER TABLE %s ATTACH PARTITION %s FOR VALUES IN (%s)', fact, part, array_to_string(shards, ', '));
  INSERT INTO raydex.parts (relation, server, part, shards) VALUES (fact, server, part, shards)
    ON CONFLICT ON CONSTRAINT parts_pkey DO UPDATE SET part = excluded.part, shards = excluded.shards;
END $$;

CREATE PROCEDURE distribute(fact regclass, dimensions regclass[], servers name[], key name DEFAULT NULL,
                            files name DEFAULT NULL, shards integer DEFAULT 64) LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  shard text;
  made regclass[];
  mine bigint[];
  distributed regclass;
  n integer := cardinality(servers);
BEGIN
  PERFORM raydex.check_no_transaction(), raydex.check_distribute(fact, dimensions, servers, shards);
  shard := raydex.shard_expression(fact, coalesce(key, (SELECT a.attname FROM pg_catalog.pg_attribute a
    WHERE a.attrelid = fact AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum LIMIT 1)), shards);
  PERFORM raydex.lock_table(fact);
  FOR i IN 1 .. n LOOP
    PERFORM raydex.add_copies(dimensions, servers[i], files);
    mine := ARRAY(SELECT s FROM generate_series(0, shards - 1) s WHERE s % n = i - 1);
    made[i] := raydex.add_part(fact, servers[i], fact, shard, mine, NULL, NULL, files);
  END LOOP;
  distributed := raydex.replace_fact(fact, shard);
  INSERT INTO raydex.facts VALUES (distributed, shard, shards, dimensions, files);
  FOR i IN 1 .. n LOOP
    mine := ARRAY(SELECT s FROM generate_series(0, shards - 1) s WHERE s % n = i - 1);
    PERFORM raydex.attach_part(distributed, servers[i], made[i], mine);
  END LOOP;
  COMMIT;
  PERFORM raydex.analyze_parts(r) FROM unnest(distributed || dimensions) r;
  RAISE NOTICE '% is distributed; its rows are still in %, too', distributed, fact;
END $$;
COMMENT ON PROCEDURE distribute IS 'spread the rows of a fact table over servers, with a copy of each dimension on each';

-- ---- Move shards ----

-- How many shards each server is to have when `servers` have equally many.
CREATE FUNCTION quotas(fact regclass, count integer, servers name[])
RETURNS TABLE (server name, part regclass, has bigint[], quota integer) LANGUAGE sql STABLE AS $$
  SELECT coalesce(s, p.server), p.part, coalesce(p.shards, '{}'), CASE WHEN s IS NULL THEN 0 ELSE $2 / cardinality($3) +
    CASE WHEN row_number() OVER (ORDER BY s IS NULL, coalesce(cardinality(p.shards), 0) DESC, s) <= $2 % cardinality($3)
    THEN 1 ELSE 0 END END
  FROM unnest($3) s FULL JOIN (SELECT * FROM raydex.parts q WHERE q.relation = $1) p ON p.server = s $$;

-- The dimensions that no fact table needs on a server any more.
CREATE FUNCTION leave_copies(f raydex.facts, server name) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  p raydex.parts;
BEGIN
  FOR p IN SELECT * FROM raydex.parts q WHERE q.relation = ANY (f.dimensions) AND q.server = leave_copies.server LOOP
    CONTINUE WHEN EXISTS (SELECT FROM raydex.facts o JOIN raydex.parts q ON q.relation = o.fact
                          WHERE q.server = leave_copies.server AND p.relation = ANY (o.dimensions));
    DELETE FROM raydex.parts q WHERE q.relation = p.relation AND q.server = p.server;
    PERFORM raydex.leave_part(p.relation, p.server, p.part, f.files), raydex.forget_plans(p.relation);
  END LOOP;
END $$;

-- New parts are made from the old ones before these are left.
CREATE FUNCTION move_shards(f raydex.facts, servers name[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  q record;
  stay bigint[];
  come bigint[];
  free bigint[];
  changed raydex.parts[];
  new_part regclass;
  c raydex.parts;
BEGIN
  PERFORM raydex.lock_table(f.fact);
  free := ARRAY(SELECT s::bigint FROM generate_series(0, f.shards - 1) s
                EXCEPT SELECT unnest(x.has[1:x.quota]) FROM raydex.quotas(f.fact, f.shards, servers) x ORDER BY 1);
  FOR q IN SELECT * FROM raydex.quotas(f.fact, f.shards, servers) x ORDER BY x.server LOOP
    stay := q.has[1:q.quota];
    come := free[1:q.quota - cardinality(stay)];
    free := free[cardinality(come) + 1:];
    CONTINUE WHEN stay = q.has AND come = '{}';
    new_part := NULL;
    IF q.quota > 0 THEN
      PERFORM raydex.add_copies(f.dimensions, q.server, f.files);
      new_part := raydex.add_part(f.fact, q.server, f.fact, f.shard, come, 'raydex_shards.' || (SELECT
        quote_ident(relname) FROM pg_catalog.pg_class WHERE oid = q.part), stay, f.files);
    END IF;
    changed := changed || ROW(q.part, q.server, new_part, stay || come, false)::raydex.parts;
  END LOOP;
  FOREACH c IN ARRAY coalesce(changed, '{}') LOOP
    IF c.relation IS NOT NULL THEN
      EXECUTE format('ALTER TABLE %s DETACH PARTITION %s', f.fact, c.relation);
      PERFORM raydex.leave_part(f.fact, c.server, c.relation, f.files);
    END IF;
  END LOOP;
  FOREACH c IN ARRAY coalesce(changed, '{}') LOOP
    IF c.part IS NOT NULL THEN
      PERFORM raydex.attach_part(f.fact, c.server, c.part, c.shards);
    ELSE
      DELETE FROM raydex.parts p WHERE p.relation = f.fact AND p.server = c.server;
      PERFORM raydex.leave_copies(f, c.server);
    END IF;
  END LOOP;
END $$;

-- Drop what is no longer used on nodes.
CREATE PROCEDURE clean() LANGUAGE plpgsql AS $$
DECLARE
  l raydex.leftovers;
BEGIN
  FOR l IN SELECT * FROM raydex.leftovers o WHERE raydex.owns(o.relation) LOOP
    PERFORM raydex.on_node(l.server, format('DROP %s IF EXISTS raydex_shards.%I', CASE WHEN l.files IS NULL
                                            THEN 'TABLE' ELSE 'FOREIGN TABLE' END, l.node_table));
    IF l.files IS NOT NULL THEN
      PERFORM raydex.on_node(l.server, format('SELECT raydex.remove_file(%L, %L)', l.files, l.node_table));
    END IF;
    DELETE FROM raydex.leftovers o WHERE o.server = l.server AND o.node_table = l.node_table;
  END LOOP;
  COMMIT;
END $$;
COMMENT ON PROCEDURE clean IS 'drop tables of nodes that are no longer used';

CREATE FUNCTION servers_of(fact regclass) RETURNS name[] LANGUAGE sql STABLE AS
  'SELECT array_agg(p.server ORDER BY p.server) FROM raydex.parts p WHERE p.relation = $1';

CREATE PROCEDURE move_and_clean(f raydex.facts, servers name[]) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM raydex.check_servers(servers);
  PERFORM raydex.move_shards(f, servers);
  COMMIT;
  PERFORM raydex.analyze_parts(r) FROM unnest(f.fact || f.dimensions) r;
  CALL raydex.clean();
END $$;

CREATE PROCEDURE add_node(fact regclass, server name) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM raydex.check_no_transaction();
  IF server = ANY (raydex.servers_of(fact)) THEN
    RAISE EXCEPTION 'server "%" has a part of % already', server, fact;
  END IF;
  CALL raydex.move_and_clean(raydex.check_fact(fact), raydex.servers_of(fact) || server);
END $$;
COMMENT ON PROCEDURE add_node IS 'move shards of a distributed table to one more server';

CREATE PROCEDURE remove_node(fact regclass, server name) LANGUAGE plpgsql AS $$
DECLARE
  f raydex.facts;
BEGIN
  PERFORM raydex.check_no_transaction();
  f := raydex.check_fact(fact);
  IF NOT server = ANY (raydex.servers_of(fact)) THEN
    RAISE EXCEPTION 'server "%" has no part of %', server, fact;
  END IF;
  IF cardinality(raydex.servers_of(fact)) = 1 THEN
    RAISE EXCEPTION 'server "%" is the only one of %', server, fact USING HINT = 'CALL raydex.add_node() first.';
  END IF;
  CALL raydex.move_and_clean(f, array_remove(raydex.servers_of(fact), server));
END $$;
COMMENT ON PROCEDURE remove_node IS 'move the shards of a server to the other ones';

CREATE PROCEDURE rebalance(fact regclass) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM raydex.check_no_transaction();
  CALL raydex.move_and_clean(raydex.check_fact(fact), raydex.servers_of(fact));
END $$;
COMMENT ON PROCEDURE rebalance IS 'even out the shards of the servers';

-- ---- Dimensions that have changed ----

CREATE PROCEDURE refresh(dimension regclass) LANGUAGE plpgsql AS $$
DECLARE
  p raydex.parts;
  files_of name;
  new_part regclass;
BEGIN
  PERFORM raydex.check_no_transaction(), raydex.check_owner(dimension);
  SELECT f.files INTO files_of FROM raydex.facts f WHERE dimension = ANY (f.dimensions) LIMIT 1;
  IF NOT FOUND THEN
    RAISE EXCEPTION '% is no dimension of a distributed table', dimension;
  END IF;
  PERFORM raydex.lock_table(dimension);
  FOR p IN SELECT * FROM raydex.parts q WHERE q.relation = dimension ORDER BY q.server LOOP
    new_part := raydex.add_part(dimension, p.server, dimension, NULL, NULL, NULL, NULL, files_of);
    UPDATE raydex.parts q SET changed = false, part = new_part WHERE q.relation = dimension AND q.server = p.server;
    PERFORM raydex.leave_part(dimension, p.server, p.part, files_of);
  END LOOP;
  PERFORM raydex.forget_plans(dimension);
  COMMIT;
  PERFORM raydex.analyze_parts(dimension);
  CALL raydex.clean();
END $$;
COMMENT ON PROCEDURE refresh IS 'copy a dimension that has changed to all servers again';
