"""An agent of the OpenHands SDK whose requests are pruned."""

from openhands.sdk import Agent

from prunus.integrations.openhands import PrunusCondenser


def build_agent(llm, tools, **options):
    return Agent(llm=llm, tools=tools, condenser=PrunusCondenser(), **options)
