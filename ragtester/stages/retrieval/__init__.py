"""The retrieval audit: metrics at the K that is really used, and the stage at which each failure was born."""
