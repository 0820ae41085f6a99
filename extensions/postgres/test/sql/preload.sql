-- With the settings the worker is there from the server's start on, before anybody asks.
LOAD 'raydex_fdw';
ALTER SYSTEM SET raydex.worker = on;
ALTER SYSTEM SET raydex.worker_device = 'cpu';
ALTER SYSTEM SET shared_preload_libraries = 'raydex_fdw';
\! "$CLUSTER" restart "$FOLDER/server" "$BUILD"
\c
DO $$ BEGIN FOR i IN 1 .. 200 LOOP
  EXIT WHEN EXISTS (SELECT FROM pg_ls_dir('pg_stat_tmp') f WHERE f = 'raydex_fdw.socket');
  PERFORM pg_sleep(0.05);
END LOOP; END $$;
SELECT count(*) FROM pg_ls_dir('pg_stat_tmp') f WHERE f = 'raydex_fdw.socket';
SELECT count(*) FROM files.labels;
SELECT count(*) FROM raydex_structures WHERE server = 'ssb' AND location = 'worker';
SELECT sum(lo_revenue) FROM files.lineorder WHERE lo_discount < 3;
SELECT count(*) > 0 FROM raydex_structures WHERE server = 'ssb' AND location = 'worker';
-- A server that ends takes the worker with it.
ALTER SYSTEM RESET ALL;
\! "$CLUSTER" restart "$FOLDER/server" "$BUILD"
\c
SELECT count(*) FROM pg_ls_dir('pg_stat_tmp') f WHERE f = 'raydex_fdw.socket';
SELECT count(*) FROM files.labels;
