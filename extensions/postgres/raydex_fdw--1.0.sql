/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Raydex authors */

-- For CREATE EXTENSION only.
\echo Use "CREATE EXTENSION raydex_fdw" to load this file. \quit

CREATE FUNCTION raydex_fdw_handler() RETURNS fdw_handler AS 'MODULE_PATHNAME' LANGUAGE C STRICT;
CREATE FUNCTION raydex_fdw_validator(text[], oid) RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C STRICT;
CREATE FOREIGN DATA WRAPPER raydex_fdw HANDLER raydex_fdw_handler VALIDATOR raydex_fdw_validator;

CREATE FUNCTION raydex_load(query text, file text) RETURNS bigint
  AS 'MODULE_PATHNAME' LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;
REVOKE ALL ON FUNCTION raydex_load(text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION raydex_load(text, text) TO pg_write_server_files;
COMMENT ON FUNCTION raydex_load(text, text) IS 'write the rows of a query as a table file when the transaction commits';

CREATE FUNCTION raydex_prepare(server name, view text, query text, method text DEFAULT 'sorted_cube') RETURNS void
  AS 'MODULE_PATHNAME' LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;
REVOKE ALL ON FUNCTION raydex_prepare(name, text, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION raydex_prepare(name, text, text, text) TO pg_write_server_files;
COMMENT ON FUNCTION raydex_prepare(name, text, text, text) IS 'keep a cube in the folder of a server';

CREATE FUNCTION raydex_structures(server name, OUT name text, OUT kind text, OUT tables text, OUT columns text,
                                  OUT method text, OUT location text, OUT bytes bigint, OUT uses bigint,
                                  OUT last_use timestamptz) RETURNS SETOF record
  AS 'MODULE_PATHNAME' LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION raydex_structures(name) IS 'what is prepared for a server';
CREATE VIEW raydex_structures AS
  SELECT s.srvname AS server, r.* FROM pg_foreign_server s JOIN pg_foreign_data_wrapper w ON w.oid = s.srvfdw,
    LATERAL raydex_structures(s.srvname) r
  WHERE w.fdwname = 'raydex_fdw' AND has_server_privilege(s.oid, 'USAGE');
GRANT SELECT ON raydex_structures TO PUBLIC;

CREATE FUNCTION raydex_stats(OUT method text, OUT device text, OUT statements bigint, OUT rows bigint, OUT rays bigint,
                             OUT planning_ms float8, OUT execution_ms float8) RETURNS SETOF record
  AS 'MODULE_PATHNAME' LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION raydex_stats() IS 'counters of raydex_stats, as they are kept';
CREATE VIEW raydex_stats AS
  SELECT method, device, sum(statements)::bigint AS statements, sum(rows)::bigint AS rows, sum(rays)::bigint AS rays,
    sum(planning_ms) AS planning_ms, sum(execution_ms) AS execution_ms
  FROM raydex_stats() GROUP BY method, device;
GRANT SELECT ON raydex_stats TO PUBLIC;
CREATE FUNCTION raydex_stats_reset() RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;
REVOKE ALL ON FUNCTION raydex_stats_reset() FROM PUBLIC;
COMMENT ON FUNCTION raydex_stats_reset() IS 'set the counters of this database to 0';
