"""The process that works in the background, and what starts and watches it. Never: what it works on."""
