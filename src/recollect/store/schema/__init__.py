"""The schema of the database: ``migration`` brings it up to date, ``report`` says which parts are missing."""
