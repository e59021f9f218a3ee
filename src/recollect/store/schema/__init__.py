"""The schema of the database: ``migration`` brings it up to date, ``database_check`` says which parts are missing."""
