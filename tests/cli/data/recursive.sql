.read recursive.sql
