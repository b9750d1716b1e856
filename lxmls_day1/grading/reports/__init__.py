"""The files that instructors and students read: pages, tables and manual marks."""
