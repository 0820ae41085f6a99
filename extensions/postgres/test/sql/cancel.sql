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
SET statement_timeout = '30ms';
SELECT cancelled('SELECT count(*) FROM lineorder a JOIN lineorder b ON a.lo_custkey = b.lo_custkey
  WHERE a.lo_revenue + b.lo_revenue > 5');
RESET statement_timeout;
SELECT count(*) FROM labels;
