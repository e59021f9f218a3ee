"""Programs that show Recollect at work. They are not shipped."""
