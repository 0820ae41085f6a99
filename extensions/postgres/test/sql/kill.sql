-- What is killed leaves the rest, and no file of its own: backends, the process of the worker; files that are replaced,
-- disks that are full.
LOAD 'raydex_fdw';
ALTER SYSTEM SET raydex.worker_device = 'cpu';
SELECT pg_reload_conf();
\! "$KILL"
SELECT count(*) FROM pg_ls_dir(:'folder' || '/loaded') f WHERE f LIKE 'half%' OR f LIKE '%raydex-new%';
SELECT count(*) FROM files.labels;
