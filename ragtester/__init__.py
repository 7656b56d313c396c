"""ragtester: test suites for retrieval-augmented LLMs, from documents to verdicts."""
