"""From the bytes of a file to the texts of its columns. Private side: only `measure` may ask for rows."""
