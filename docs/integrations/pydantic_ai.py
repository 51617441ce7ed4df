"""An agent of pydantic-ai whose requests are pruned."""

from pydantic_ai import Agent

from prunus.integrations.pydantic_ai import Prunus


def build_agent(model, **options):
    return Agent(model, capabilities=[Prunus()], **options)
