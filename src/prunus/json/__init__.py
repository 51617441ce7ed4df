"""JSON as bytes: values replaced in place, long strings in pieces, halves of surrogate pairs."""
