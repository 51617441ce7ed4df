"""An app of Google's Agent Development Kit whose requests are pruned."""

from google.adk.apps import App

from prunus.integrations.google_adk import PrunusPlugin


def build_app(agent):
    return App(name="app", root_agent=agent, plugins=[PrunusPlugin()])
