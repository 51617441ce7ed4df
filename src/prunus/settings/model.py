"""The settings model, and how presets, files and options combine into settings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, StrictBool

from prunus.calls.meaning import Tool
from prunus.calls.toolbox import Toolbox
from prunus.errors import SettingsError
from prunus.guards import ALL as ALL_GUARDS
from prunus.guards.guard import Guard
from prunus.guards.recent import SameTurn
from prunus.notes import Words
from prunus.schedule.budget import Budget
from prunus.schedule.cache import SCHEDULES as ALL_SCHEDULES
from prunus.schedule.dollars import Money
from prunus.schedule.plan import Schedule
from prunus.schedule.pressure import Pressure
from prunus.schedule.prices import Price, price_of, window_of
from prunus.schedule.reminders import Reminders
from prunus.settings import tables
from prunus.settings.acp import translate
from prunus.settings.generated_sections import (
    GUARDS,
    SCHEDULES,
    STRATEGIES,
    BudgetSection,
    Count,
    Guards,
    PressureSection,
    RemindersSection,
    Schedules,
    Section,
    Strategies,
    ToolRow,
    check,
    fields_of,
)
from prunus.settings.layers import Layer, Problem, fail, merge
from prunus.settings.presets import ALLOWED_LOSS, OTHER_SETTINGS, Dial, Preset, strategies_of
from prunus.settings.settings_files import (
    NAMES,
    from_options,
    project_directory,
    read,
    read_directory,
    user_directory,
)
from prunus.strategies.asked import Requested
from prunus.strategies.strategy import Strategy
from prunus.tokens import Counter


class Values(Section):
    """Every setting as a field; `Settings` adds the constructors."""

    base: Preset = Field("auto", alias="preset")
    """Which strategies run unless the settings say otherwise: auto, acp, smart or off."""
    level: Dial = "balanced"
    """How much the preset auto may risk for its savings: `safe`, `balanced` or `lean`. Other presets have no
    levels."""
    enabled: StrictBool = True
    """Whether Prunus prunes at all."""
    notification: Literal["off", "minimal", "detailed"] = "minimal"
    """How much Prunus says about the parts that it pruned."""
    show_distillation: StrictBool = False
    """Whether the status line also shows the summary that the agent kept of distilled parts."""
    words: Words = "prunus"
    """The wording of the notes that replace cut content: `prunus` names the content and the reason for the cut,
    `seeds` uses the short notes from the documents behind the presets acp and smart."""
    strategies: Strategies = Field(default_factory=Strategies)
    """The strategies: each one proposes content to prune."""
    guards: Guards = Field(default_factory=Guards)
    """The guards: each one protects content from pruning."""
    schedule: Literal["cache", "eager", "pressure", "manual"] = "cache"
    """When Prunus makes edits: `cache` when they save more than the cache break costs, `eager` at once, `pressure`
    when the context fills up, `manual` only on request."""
    schedules: Schedules = Field(default_factory=Schedules)
    """How each schedule decides."""
    pressure: PressureSection = Field(default_factory=PressureSection)
    """When the context counts as full, and what Prunus then does."""
    budget: BudgetSection = Field(default_factory=BudgetSection)
    """The share of the context that each category may take, and when a summary is due. Prunus shows these limits
    and does not enforce them."""
    compaction: Literal["pruned", "whole"] = "pruned"
    """How Prunus sends a client's request to summarise the history: `pruned` keeps the edits, so that the request
    hits the prompt cache; `whole` sends the full history if it fits the model's window."""
    subagents: Literal["prune", "skip"] = "prune"
    """Whether Prunus prunes the requests of sub-agents or sends them unchanged."""
    learn: StrictBool = True
    """Whether new conversations learn from what the same agent asked for again. That needs a store."""
    window: Count = 0
    """The model's context window in tokens; 0 derives it from the model's name."""
    prices: tuple[tables.PriceRow, ...] = ()
    """Prompt cache prices of models that the built-in table does not know."""
    tools: tuple[ToolRow, ...] = ()
    """Your own tools, and how they name their arguments."""
    tokens: tables.Tokens = Field(default_factory=tables.Tokens)
    """How Prunus counts tokens."""
    limits: tables.Limits = Field(default_factory=tables.Limits)
    """How large a request Prunus prunes, and how much it remembers."""
    manual: tables.Manual = Field(default_factory=tables.Manual)
    """Manual mode: Prunus prunes only on request."""
    cache: tables.CacheSettings = Field(default_factory=tables.CacheSettings)
    """How long the provider's prompt cache lives."""
    agent: tables.Agent = Field(default_factory=tables.Agent)
    """How the agent itself may prune its context."""
    reminders: RemindersSection = Field(default_factory=RemindersSection)
    """Short reminders to the model."""
    proxy: tables.Proxy = Field(default_factory=tables.Proxy)
    """How the proxy listens and forwards requests."""
    upstreams: tables.Upstreams = Field(default_factory=tables.Upstreams)
    """The addresses of the providers."""
    store: tables.StoreSettings = Field(default_factory=tables.StoreSettings)
    """What Prunus keeps on disk."""


class Settings(Values):
    """What Prunus prunes, and how.

    Values that you do not give come from the preset: `Settings(preset="acp", turn_protection=2)`. You may use every
    key that a settings file may use.
    """

    def __init__(self, **values: Any) -> None:
        layer = translate(values, "")
        full = _on_preset(layer.values)
        check(Values, full, layer)
        fail(layer.problems)
        super().__init__(**full)

    @classmethod
    def preset(cls, name: str) -> Settings:
        """Return the settings of a preset: auto, acp, smart or off."""
        return cls(preset=name)

    @classmethod
    def load(cls, path: Path | str) -> Settings:
        """Read the settings of one file, or of the files of a directory."""
        return load(path).settings

    @classmethod
    def discover(cls, start: Path | str, user: Path | None = None, overrides: Sequence[str] = ()) -> Settings:
        """Read the settings for a directory: the user's files, the project's files, and the overrides."""
        return discover(start, user, overrides).settings

    def active_strategies(self) -> tuple[Strategy, ...]:
        """Return the strategies that run, in their order."""
        if not self.enabled:
            return ()
        quiet = self.manual.enabled and not self.manual.automatic_strategies
        sections = {owner: getattr(self.strategies, name) for name, owner in STRATEGIES.items()}
        running = [owner for owner, section in sections.items() if section.enabled and not quiet]
        if Requested not in running and (self.agent.offer != "off" or (quiet and sections[Requested].enabled)):
            running.insert(0, Requested)
        return tuple(owner(**fields_of(sections[owner], owner)) for owner in running)

    def active_guards(self) -> tuple[Guard, ...]:
        """Return all guards, in their order."""
        guards = (
            owner(**fields_of(getattr(self.guards, owner.name), owner)) if owner.name in GUARDS else owner()
            for owner in ALL_GUARDS
        )
        # Editing a result before its first send only pays if the prompt cache counts.
        early = self.schedule == "cache"
        return tuple(SameTurn(early=True) if early and isinstance(guard, SameTurn) else guard for guard in guards)

    def active_schedule(self) -> Schedule:
        """Return the schedule, which decides when Prunus makes edits."""
        owner = next(owner for owner in ALL_SCHEDULES if owner.name == self.schedule)
        section = getattr(self.schedules, owner.name) if owner.name in SCHEDULES else None
        return owner(**fields_of(section, owner)) if section is not None else owner()

    def allowed_asks(self) -> float | None:
        """Return how many parts that a strategy cut may be asked for again in 1,000 requests; None for no limit."""
        return ALLOWED_LOSS[self.level] if self.learn else None

    def active_pressure(self) -> Pressure:
        """Return the thresholds at which the context counts as full."""
        return Pressure(**fields_of(self.pressure, Pressure))

    def active_budget(self) -> Budget:
        """Return the share of the context that each category may take."""
        return Budget(**fields_of(self.budget, Budget))

    def active_reminders(self) -> Reminders | None:
        """Return the reminders to the model, or None if all are off."""
        section = self.reminders
        if not self.enabled or not (section.todo or section.pressure or section.reflection):
            return None
        return Reminders(**fields_of(section, Reminders))

    def price_of(self, model: str) -> Price:
        """Return the prompt cache prices of a model."""
        own = {row.model: row.model_dump(exclude={"model", "input"}, exclude_none=True) for row in self.prices}
        return price_of(model, own)

    def money(self) -> Money:
        """Return the dollar prices of models, those of the settings first."""
        return Money(tuple((row.model, row.input) for row in self.prices if row.input is not None))

    def window_of(self, model: str) -> int:
        """Return the context window of a model in tokens."""
        return self.window or window_of(model)

    def toolbox(self) -> Toolbox:
        """Return the known tools, including the user's own."""
        return Toolbox(tuple(Tool(**fields_of(row, Tool)) for row in self.tools))

    def counter(self) -> Counter:
        """Return a new token counter."""
        return Counter(exact=self.tokens.exact, encoding=self.tokens.encoding)

    def dump(self) -> dict[str, Any]:
        """Return all values as plain data; `Settings(**settings.dump())` equals these settings."""
        plain = self.model_dump(mode="json", by_alias=True, exclude={"tools", "prices"})
        rows = {"tools": self.tools, "prices": self.prices}
        listed = {key: [row.model_dump(mode="json", exclude_defaults=True) for row in rows[key]] for key in rows}
        return {**plain, **listed}

    def __reduce__(self) -> tuple[Any, ...]:
        # Prunus creates the classes of sections at run time, so pickle would not find them.
        return _restore, (self.dump(),)

    @classmethod
    def schema(cls) -> dict[str, Any]:  # type: ignore[override]  # pydantic's own is deprecated
        """Return the JSON schema of a settings file."""
        from prunus.settings.describe import schema

        return schema()


def _restore(values: dict[str, Any]) -> Settings:
    return Settings(**values)


@dataclass(frozen=True, slots=True)
class Loaded:
    """Settings, and the files they come from."""

    settings: Settings
    sources: tuple[Path, ...]
    """The files that were read; later files override earlier ones."""


def load(path: Path | str, overrides: Sequence[str] = ()) -> Loaded:
    """Read one file, or the files of a directory in the order of `NAMES`, and apply overrides `key=value`."""
    path = Path(path)
    layers = list(read_directory(path)) if path.is_dir() else [read(path)]
    found = [layer for layer in layers if layer is not None]
    if not found:
        wanted = ", ".join(NAMES) if path.is_dir() else "a table [tool.prunus]"
        raise SettingsError(f"{path}: no settings here; expected {wanted}")
    return _assemble([*found, from_options(overrides)])


def discover(start: Path | str, user: Path | None = None, overrides: Sequence[str] = ()) -> Loaded:
    """Read the user's files and those of the project around `start`, and apply overrides `key=value`."""
    home = user_directory() if user is None else user
    project = project_directory(Path(start))
    layers = [layer for layer in read_directory(home) if layer.path and layer.path.name != "pyproject.toml"]
    if project is not None and project != home.resolve():
        layers += read_directory(project)
    return _assemble([*layers, from_options(overrides)])


def _assemble(layers: Iterable[Layer]) -> Loaded:
    """Merge the layers into settings, or raise the problems of all layers."""
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
    """Return the values of the preset, overridden by the explicit values."""
    preset = values.get("preset", "auto")
    preset = preset if isinstance(preset, str) else ""
    level = values.get("level", "balanced")
    chosen = strategies_of(preset, level if isinstance(level, str) else "")
    strategies = {name: {"enabled": name in chosen, **chosen.get(name, {})} for name in STRATEGIES}
    return merge(merge({"strategies": strategies}, OTHER_SETTINGS.get(preset, {})), values)
