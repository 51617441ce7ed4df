"""Prunus inside the frameworks that people build agents with.

Each module serves one framework and imports it, so nothing here is loaded before a program names it:
`from prunus.integrations.langchain import PrunusMiddleware`. Two adapters do the work: `rows` for frameworks that
have message objects of their own, `wire` for those that hold request bodies as a provider gets them.
"""
