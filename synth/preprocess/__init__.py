"""From declared columns to codes and back."""
