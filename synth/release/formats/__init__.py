"""Write the synthetic table in the formats of spreadsheets and statistics programs."""
