"""The embedded Postgres. Read ``shared_server`` first."""
