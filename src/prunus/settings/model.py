"""The settings, and how they come together from presets, files and options."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, StrictBool

from prunus.calls import Tool, Toolbox
from prunus.errors import SettingsError
from prunus.guards import ALL as ALL_GUARDS
from prunus.guards import Guard
from prunus.guards.same_turn import SameTurn
from prunus.notes import Words
from prunus.schedule.budget import Budget
from prunus.schedule.cache import SCHEDULES as ALL_SCHEDULES
from prunus.schedule.cache import Schedule
from prunus.schedule.pressure import Pressure
from prunus.schedule.prices import Price, price_of
from prunus.schedule.reminders import Reminding
from prunus.schedule.windows import window_of
from prunus.settings import files
from prunus.settings.checks import check
from prunus.settings.layers import Layer, Problem, fail, merge
from prunus.settings.presets import OTHER_SETTINGS, PRESETS, Preset
from prunus.settings.sections import (
    GUARDS,
    SCHEDULES,
    STRATEGIES,
    BudgetSection,
    Count,
    Guards,
    PressureSection,
    Schedules,
    Section,
    Strategies,
    ToolRow,
    fields_of,
)
from prunus.settings.tables import (
    Agent,
    Limits,
    Manual,
    PriceRow,
    Proxy,
    Reminders,
    StoreSettings,
    Tokens,
    Upstreams,
)
from prunus.settings.translate import translate
from prunus.strategies import Strategy
from prunus.strategies.asked import Asked
from prunus.tokens import Counter


class Values(Section):
    """Every setting, without the ways to make one."""

    base: Preset = Field("auto", alias="preset")
    """Which strategies run unless the settings say otherwise: auto, acp, smart or off."""
    enabled: StrictBool = True
    """Whether anything is pruned at all."""
    notification: Literal["off", "minimal", "detailed"] = "minimal"
    """How much is said about what was pruned."""
    show_distillation: StrictBool = False
    """Whether the status line also says what the agent kept of what it distilled."""
    words: Words = "prunus"
    """Whose words stand in place of what was cut: `prunus` says what it was and why it went, `seeds` uses the short
    notes of the documents that the presets acp and smart come from."""
    strategies: Strategies = Field(default_factory=Strategies)
    """What may go."""
    guards: Guards = Field(default_factory=Guards)
    """What must stay."""
    schedule: Literal["cache", "eager", "pressure", "manual"] = "cache"
    """When edits are made: when they save more than the prompt cache they break, at once, when the context fills
    up, or never by itself."""
    schedules: Schedules = Field(default_factory=Schedules)
    """How each schedule decides."""
    pressure: PressureSection = Field(default_factory=PressureSection)
    """From when on the context counts as full, and what then happens."""
    budget: BudgetSection = Field(default_factory=BudgetSection)
    """What each category of the context may take, and when a summary is needed; shown, not enforced."""
    compaction: Literal["pruned", "whole"] = "pruned"
    """How a request for a summary of the history is sent: with the edits in force, so that the provider finds it in
    its cache, or whole where it fits the model's window."""
    subagents: Literal["prune", "skip"] = "prune"
    """Whether requests of sub-agents are pruned, or sent as they came."""
    window: Count = 0
    """Tokens that the model can take; 0 goes by the model's name."""
    prices: tuple[PriceRow, ...] = ()
    """What the prompt cache of your models costs, where the built-in table does not know it."""
    tools: tuple[ToolRow, ...] = ()
    """Tools of your own: how they name their arguments."""
    tokens: Tokens = Field(default_factory=Tokens)
    """How tokens are counted."""
    limits: Limits = Field(default_factory=Limits)
    """How much Prunus takes on and remembers."""
    manual: Manual = Field(default_factory=Manual)
    """Manual mode: pruning only when asked for."""
    agent: Agent = Field(default_factory=Agent)
    """What the agent itself may do about its context."""
    reminders: Reminders = Field(default_factory=Reminders)
    """Short words to the model."""
    proxy: Proxy = Field(default_factory=Proxy)
    """How the proxy listens and passes on."""
    upstreams: Upstreams = Field(default_factory=Upstreams)
    """Where requests go."""
    store: StoreSettings = Field(default_factory=StoreSettings)
    """What is kept on disk."""


class Settings(Values):
    """What is pruned, and how.

    Values are those of the preset unless given: `Settings(preset="acp", turn_protection=2)`. Every spelling that
    a file may use is understood here too.
    """

    def __init__(self, **values: Any) -> None:
        layer = translate(values, "")
        full = _on_preset(layer.values)
        check(Values, full, layer)
        fail(layer.problems)
        super().__init__(**full)

    @classmethod
    def preset(cls, name: str) -> Settings:
        """The settings of a preset: auto, acp, smart or off."""
        return cls(preset=name)

    @classmethod
    def load(cls, path: Path | str) -> Settings:
        """The settings of one file, or of the files of a directory."""
        return load(path).settings

    @classmethod
    def discover(cls, start: Path | str, user: Path | None = None, overrides: Sequence[str] = ()) -> Settings:
        """The settings for work in a directory: the user's, the project's, and those given for this run."""
        return discover(start, user, overrides).settings

    def active_strategies(self) -> tuple[Strategy, ...]:
        """The strategies that run, in their order."""
        if not self.enabled:
            return ()
        quiet = self.manual.enabled and not self.manual.automatic_strategies
        sections = {owner: getattr(self.strategies, name) for name, owner in STRATEGIES.items()}
        running = [owner for owner, section in sections.items() if section.enabled and not quiet]
        if Asked not in running and (self.agent.offer != "off" or (quiet and sections[Asked].enabled)):
            running.insert(0, Asked)
        return tuple(owner(**fields_of(sections[owner], owner)) for owner in running)

    def active_guards(self) -> tuple[Guard, ...]:
        """All guards, in their order."""
        guards = (
            owner(**fields_of(getattr(self.guards, owner.name), owner)) if owner.name in GUARDS else owner()
            for owner in ALL_GUARDS
        )
        # Acting before the first send only pays where the prompt cache counts.
        early = self.schedule == "cache"
        return tuple(SameTurn(early=True) if early and isinstance(guard, SameTurn) else guard for guard in guards)

    def active_schedule(self) -> Schedule:
        """What decides when edits are made."""
        owner = next(owner for owner in ALL_SCHEDULES if owner.name == self.schedule)
        section = getattr(self.schedules, owner.name) if owner.name in SCHEDULES else None
        return owner(**fields_of(section, owner)) if section is not None else owner()

    def active_pressure(self) -> Pressure:
        """From when on the context counts as full."""
        return Pressure(**fields_of(self.pressure, Pressure))

    def active_budget(self) -> Budget:
        """What each category of the context may take."""
        return Budget(**fields_of(self.budget, Budget))

    def active_reminders(self) -> Reminding | None:
        """What the model is reminded of, if anything."""
        section = self.reminders
        if not self.enabled or not (section.todo or section.pressure or section.reflection):
            return None
        return Reminding(**fields_of(section, Reminding))

    def price_of(self, model: str) -> Price:
        """What the prompt cache of a model costs."""
        own = {row.model: row.model_dump(exclude={"model"}, exclude_none=True) for row in self.prices}
        return price_of(model, own)

    def window_of(self, model: str) -> int:
        """How many tokens a model can take."""
        return self.window or window_of(model)

    def toolbox(self) -> Toolbox:
        """What the tools mean, the user's own included."""
        return Toolbox(tuple(Tool(**fields_of(row, Tool)) for row in self.tools))

    def counter(self) -> Counter:
        """A new token counter."""
        return Counter(exact=self.tokens.exact, encoding=self.tokens.encoding)

    def dump(self) -> dict[str, Any]:
        """All values in force, as plain data; `Settings(**settings.dump())` is the same again."""
        plain = self.model_dump(mode="json", by_alias=True, exclude={"tools", "prices"})
        rows = {"tools": self.tools, "prices": self.prices}
        listed = {key: [row.model_dump(mode="json", exclude_defaults=True) for row in rows[key]] for key in rows}
        return {**plain, **listed}

    def __reduce__(self) -> tuple[Any, ...]:
        # The classes of sections are made at run time, so pickle would not find them.
        return _restore, (self.dump(),)

    @classmethod
    def schema(cls) -> dict[str, Any]:  # type: ignore[override]  # pydantic's own is deprecated
        """The JSON schema of a settings file."""
        from prunus.settings.describe import schema

        return schema()


def _restore(values: dict[str, Any]) -> Settings:
    return Settings(**values)


@dataclass(frozen=True, slots=True)
class Loaded:
    """Settings, and where they come from."""

    settings: Settings
    sources: tuple[Path, ...]
    """The files that were read, the weakest first."""


def load(path: Path | str, overrides: Sequence[str] = ()) -> Loaded:
    """Read one file, or the files of a directory in the order of `files.NAMES`, and the overrides `key=value`."""
    path = Path(path)
    layers = list(files.read_directory(path)) if path.is_dir() else [files.read(path)]
    found = [layer for layer in layers if layer is not None]
    if not found:
        wanted = ", ".join(files.NAMES) if path.is_dir() else "a table [tool.prunus]"
        raise SettingsError(f"{path}: no settings here; expected {wanted}")
    return _assemble([*found, files.from_options(overrides)])


def discover(start: Path | str, user: Path | None = None, overrides: Sequence[str] = ()) -> Loaded:
    """Read the user's files, those of the project around `start`, and the overrides `key=value`."""
    home = files.user_directory() if user is None else user
    project = files.project_directory(Path(start))
    layers = [layer for layer in files.read_directory(home) if layer.path and layer.path.name != "pyproject.toml"]
    if project is not None and project != home.resolve():
        layers += files.read_directory(project)
    return _assemble([*layers, files.from_options(overrides)])


def _assemble(layers: Iterable[Layer]) -> Loaded:
    """Lay the layers on top of each other, or raise the problems of all of them."""
    values: dict[str, Any] = {}
    problems: list[Problem] = []
    sources: list[Path] = []
    for layer in layers:
        check(Values, _on_preset(layer.values), layer)
        values = merge(values, layer.values)
        problems += layer.problems
        sources += [layer.path] if layer.path else []
    fail(problems)
    return Loaded(Settings(**values), tuple(sources))


def _on_preset(values: Mapping[str, Any]) -> dict[str, Any]:
    """Explicit values on top of those of their preset."""
    preset = values.get("preset", "auto")
    preset = preset if isinstance(preset, str) else ""
    chosen = PRESETS.get(preset, {})
    strategies = {name: {"enabled": name in chosen, **chosen.get(name, {})} for name in STRATEGIES}
    return merge(merge({"strategies": strategies}, OTHER_SETTINGS.get(preset, {})), values)
