"""The four stages."""
