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
