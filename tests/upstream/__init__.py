"""A scripted provider: Anthropic Messages, OpenAI Chat and Responses, Gemini, streaming and not.

It follows a script of intents (read this file, edit it, run that command), carries them out in whatever tools the
client declares, and derives the next step from the history in each request alone. It refuses what the provider
would refuse, signs its thinking and checks what comes back, keeps every request, notes every break of a
conversation's prefix, and simulates the prompt cache in the usage it reports.

    steps = (Step((Read("a.py"),)), Step((Run("make"),)), Step(text="Done."))
    with Upstream(Script(steps, root=str(folder))) as up:
        run_client(base_url=up.url)
    assert not up.problems and not up.breaks

`python -m tests.upstream` serves a small script on a port, for trying a client by hand.
"""

from tests.upstream.faults import Fault
from tests.upstream.intents import Edit, Prune, Read, Run, Shown, Write
from tests.upstream.model import Request
from tests.upstream.prefix import Break
from tests.upstream.script import Script, Step
from tests.upstream.server import Upstream
from tests.upstream.values import Usage

__all__ = [
    "Break",
    "Edit",
    "Fault",
    "Prune",
    "Read",
    "Request",
    "Run",
    "Script",
    "Shown",
    "Step",
    "Upstream",
    "Usage",
    "Write",
]
