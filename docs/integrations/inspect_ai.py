"""A react agent of Inspect whose requests are pruned."""

from inspect_ai.agent import react

from prunus.integrations.inspect_ai import PrunedGenerate


def build_agent(model, tools, **options):
    return react(model=PrunedGenerate(model), tools=tools, **options)
