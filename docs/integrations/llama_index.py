"""An agent of LlamaIndex whose requests are pruned."""

from prunus.integrations.llama_index import PrunedFunctionAgent


def build_agent(llm, tools, **options):
    return PrunedFunctionAgent(llm=llm, tools=tools, **options)
