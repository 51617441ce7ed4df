"""An agent of langchain whose requests are pruned."""

from langchain.agents import create_agent

from prunus.integrations.langchain import PrunusMiddleware


def build_agent(model, tools, **options):
    return create_agent(model, tools, middleware=[PrunusMiddleware()], **options)
