"""What a run searches: its suite, the chunks and stores of its documents, and the contexts of its cases."""
