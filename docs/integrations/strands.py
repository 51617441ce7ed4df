"""An agent of Strands whose requests are pruned."""

from strands import Agent

from prunus.integrations.strands import PrunusAgentPlugin


def build_agent(model, tools, **options):
    return Agent(model=model, tools=tools, plugins=[PrunusAgentPlugin()], **options)
