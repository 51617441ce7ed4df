"""A crew whose requests are pruned."""

from crewai import Agent

from prunus.integrations.crewai import PrunusHooks

hooks = PrunusHooks().register()


def build_agent(llm, tools):
    return Agent(role="programmer", goal="repair programs", backstory="You repair programs.", llm=llm, tools=tools)
