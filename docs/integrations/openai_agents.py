"""An agent of the OpenAI Agents SDK whose requests are pruned."""

from agents import RunConfig, Runner

from prunus.integrations.openai_agents import PrunusFilter

CONFIG = RunConfig(call_model_input_filter=PrunusFilter())


async def answer(agent, text, **options):
    return await Runner.run(agent, text, run_config=CONFIG, **options)
