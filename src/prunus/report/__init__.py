"""Reports for people and programs: the status line, the boxes, the report of one request."""
