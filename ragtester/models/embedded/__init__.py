"""The embedded engine: every task carried out by rule, with no key, no network and no download."""
