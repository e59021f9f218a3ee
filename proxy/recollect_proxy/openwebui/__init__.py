"""Two commands for OpenWebUI: the import of what people have there, and the doctor that checks its setup."""
