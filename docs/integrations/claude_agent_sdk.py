"""An agent of the Claude Agent SDK behind a Prunus proxy."""

import os

from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient, ResultMessage

PROXY = os.environ.get("PRUNUS_URL", "http://127.0.0.1:8787")


async def talk(prompts, **options):
    answers = []
    async with ClaudeSDKClient(ClaudeAgentOptions(env={"ANTHROPIC_BASE_URL": PROXY}, **options)) as client:
        for prompt in prompts:
            await client.query(prompt)
            async for message in client.receive_response():
                if isinstance(message, ResultMessage):
                    answers.append(message.result)
    return answers
