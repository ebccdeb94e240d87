"""The clients that sub-agents ask: their parent's, or one for each other model and effort."""

from __future__ import annotations

from roocode.app import assemble
from roocode.app.options import AgentOptions
from roocode.app.subagents.parentage import Parentage
from roocode.engine.models.effort import thinks
from roocode.engine.subagents.definition import AgentDefinition
from roocode.engine.subagents.inheriting import InheritingClient
from roocode.interaction.config.providers import ResolvedModel
from roocode.protocol.events import Notice
from roocode.protocol.models import Effort, ModelClient


class Clients:
    """Opens each client once; they live as long as the session."""

    def __init__(self, parent: Parentage) -> None:
        self._parent = parent
        self._opened: dict[tuple[str, str | None], ModelClient] = {}

    def model(self, definition: AgentDefinition) -> ResolvedModel:
        """The model of a definition, or of the call that has replaced it. Raises ModelError."""
        if definition.model_by_call:
            return self._parent.models.of_call(definition.model)
        return self._parent.models.of_definition(definition.model)

    def no_effort(self, definition: AgentDefinition) -> Effort | None:
        """Thinking turned off, where the model is known to think by itself or when it is asked to."""
        name = assemble.model_of(self.model(definition)).name
        return "off" if thinks(name) in ("adaptive", "budget", "effort") else None

    def of(
        self, options: AgentOptions, definition: AgentDefinition, label: str, *, is_fork: bool
    ) -> ModelClient:
        """The client for these options."""
        parent = self._parent
        shared = parent.client
        assert shared is not None
        own, inherited = assemble.model_of(options.model), assemble.model_of(parent.options.model)
        same_effort = options.effort == parent.options.effort
        if is_fork or (own.full_name == inherited.full_name and same_effort):
            return shared
        key = (own.full_name, options.effort)
        if key not in self._opened:
            self._opened[key] = assemble.client_of(options, parent.emit, label, parent.name)
        if own.full_name == inherited.full_name:
            return self._opened[key]

        def tell(text: str) -> None:
            parent.emit(Notice(agent=label, parent=parent.name, text=text, level="warning"))

        return InheritingClient(self._opened[key], shared, inherited, tell)

    async def close(self) -> None:
        """Closes them."""
        for client in self._opened.values():
            await client.close()
