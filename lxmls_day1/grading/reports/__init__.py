"""What instructors and students read: pages, tables and marks by hand."""
