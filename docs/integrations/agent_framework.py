"""An agent of Microsoft Agent Framework whose requests are pruned."""

from agent_framework import Agent

from prunus.integrations.agent_framework import PrunusChatMiddleware


def build_agent(client, tools):
    return Agent(client=client, tools=tools, middleware=[PrunusChatMiddleware()])
