"""Systems under test that are not ours: a Python function, an HTTP service, a chat endpoint, a LangChain runnable."""
