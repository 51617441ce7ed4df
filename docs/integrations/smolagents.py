"""An agent of smolagents whose requests are pruned."""

from prunus.integrations.smolagents import PrunedToolCallingAgent


def build_agent(model, tools, **options):
    return PrunedToolCallingAgent(model=model, tools=tools, **options)
