"""Brings what people have elsewhere: from files of other products, and from an export of Recollect's own."""
