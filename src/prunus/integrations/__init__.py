"""Prunus inside the frameworks that people build agents with.

Each module serves one framework and imports it, so nothing here is loaded before a program names it:
`from prunus.integrations.langchain import PrunusMiddleware`. `Integration.prune` takes request bodies as a provider
gets them; `rows` serves frameworks that have message objects of their own.
"""
