"""Systems, techniques and corpora side by side."""
