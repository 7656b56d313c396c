"""Models: the gateway, LangChain clients, the embedded engine."""
