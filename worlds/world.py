"""A bundle brought to life: its records loaded, slots bound, tools, clauses and goal compiled."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from worlds.agent import Briefing, ToolCard
from worlds.answers import finish_schema
from worlds.bundle import Bundle
from worlds.clauses import Clauses
from worlds.goal import CompiledGoal
from worlds.outside import OutsideServer
from worlds.records import Row, base_of
from worlds.slots import Binder, Binding, SlotUnbound, rows_of
from worlds.template import render
from worlds.toolserver import Tool, ToolServer
from worlds.toolserver_body import ToolServerBody
from worlds.toolsession import AnyServer
from worlds.user import ScriptedUser

ASK_USER = "ask_user"

ASK_CARD = ToolCard(
    name=ASK_USER,
    description="Ask the user about one thing that only they know.",
    parameters={
        "type": "object",
        "properties": {"about": {"type": "string", "description": "What you want to know."}},
        "required": ["about"],
        "additionalProperties": False,
    },
    reads_only=True,
)


class World:
    """What every attempt on one bundle shares; attempts themselves are `worlds.play.Play`."""

    def __init__(self, bundle: Bundle) -> None:
        """Raises RecordsInvalid when rows cannot be keyed; all else is found by `worlds.static`."""
        self.bundle = bundle
        self.base = base_of(bundle)
        self.clauses = Clauses(
            [
                (ref.slug, rule)
                for ref, rule in zip(bundle.manifest.rules, bundle.rules, strict=True)
            ],
            bundle.domain,
        )
        self.goal = CompiledGoal.of(bundle.intent, bundle.domain)
        self.unbound: SlotUnbound | None = None
        self.rebound: tuple[str, ...] = ()
        self.binding = self._bound()
        self.rows: Mapping[str, Row] = rows_of(self.base, bundle.intent, self.binding)

    @cached_property
    def servers(self) -> dict[str, AnyServer]:
        """The tool servers by slug; one from outside is asked for its tools, and may raise ServerUnavailable."""
        refs = zip(self.bundle.manifest.toolservers, self.bundle.toolservers, strict=True)
        return {
            ref.slug: (
                ToolServer.of(body) if isinstance(body, ToolServerBody) else OutsideServer.of(body)
            )
            for ref, body in refs
        }

    @cached_property
    def tools(self) -> dict[str, tuple[str, AnyServer, Tool]]:
        """Tool name → its server's slug, its server, and itself."""
        return {
            tool.name: (slug, server, tool)
            for slug, server in self.servers.items()
            for tool in server.tools.values()
        }

    def _bound(self) -> Binding:
        pin = self.bundle.manifest.pin
        binder = Binder(self.base, self.bundle.intent, self.bundle.manifest.seed)
        if pin is not None:
            slots = self.bundle.intent.slots
            binding = {name: key for name, key in pin.binding.items() if name in slots}
            self.rebound = self._misfits(binder, binding)
            if not self.rebound:
                return binding
        try:
            return binder.bind()
        except SlotUnbound as problem:
            self.unbound = problem
            return {}

    def _misfits(self, binder: Binder, binding: Binding) -> tuple[str, ...]:
        intent = self.bundle.intent
        rows = rows_of(self.base, intent, binding)
        return tuple(
            name for name in intent.slots if name not in rows or not binder.fits(name, rows)
        )

    @property
    def judges_state(self) -> bool:
        """Whether the goal asks for anything of the final state."""
        goal = self.bundle.intent.goal
        return bool(goal.require or goal.matches_plan or goal.changes is not None)

    @cached_property
    def hides_state(self) -> bool:
        """Whether a tool server changes rows that nobody sees from here."""
        outside = (each for each in self.servers.values() if isinstance(each, OutsideServer))
        return any(not server.settings.capabilities["diff"] for server in outside)

    @property
    def plan_key(self) -> str | None:
        """Which of the intent's plans is for these tool servers; None when none is. No server is asked."""
        plans = self.bundle.intent.plans
        slugs = (ref.slug for ref in self.bundle.manifest.toolservers)
        return next((slug for slug in (*slugs, "default") if slug in plans), None)

    @cached_property
    def briefing(self) -> Briefing:
        """What an agent may see at first; raises TemplateUnfilled or TemplateInvalid."""
        intent = self.bundle.intent
        cards = tuple(
            ToolCard(
                name=tool.name,
                description=tool.description,
                parameters=tool.schema,
                reads_only=not tool.writes,
            )
            for _, _, tool in self.tools.values()
        )
        return Briefing(
            opening=self.opening,
            policy="\n\n".join(rule.text for rule in self.bundle.rules),
            tools=(*cards, ASK_CARD) if intent.is_dialogue else cards,
            finish=finish_schema(intent.goal),
            is_dialogue=intent.is_dialogue,
            now=self.base.clock.now.isoformat(),
        )

    @cached_property
    def opening(self) -> str:
        """The instruction as this environment's agent reads it, or what its user opens with."""
        instruction = str(render(self.bundle.intent.instruction, self.rows))
        user = self.user()
        return user.opening(instruction) if user else instruction

    def user(self) -> ScriptedUser | None:
        """A fresh person at the other end; None where nobody answers."""
        user = self.bundle.intent.user
        domain = self.bundle.domain
        defined = self.bundle.intent.definitions(domain)
        return ScriptedUser(user, self.rows, domain, defined) if user else None

    def rendered(self, value: Any) -> Any:
        """Templates in `value` filled in from the slots' rows."""
        return render(value, self.rows)
