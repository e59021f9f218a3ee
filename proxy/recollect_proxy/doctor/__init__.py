"""`recollect doctor`: checks by one request of OpenWebUI how that is configured."""
