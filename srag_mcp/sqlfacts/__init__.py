"""What a query says: parsed once, below all who ask what SQL means."""
