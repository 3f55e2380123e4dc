"""An environment with its versions pinned: a manifest of digests and the bodies that it names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Self

from pydantic import ValidationError

from worlds.body import Body, Kind, Part
from worlds.canonical import FORMAT, digest
from worlds.domain import Domain
from worlds.intent import Intent
from worlds.recordset import Recordset
from worlds.rule import Rule
from worlds.toolserver_body import AnyServerBody, OutsideBody, server_body

PARSERS: dict[Kind, Callable[[Any], Body]] = {
    "domain": Domain.parse,
    "intent": Intent.parse,
    "rule": Rule.parse,
    "records": Recordset.parse,
    "toolserver": server_body,
}
"""Kind → what makes a body of plain JSON; raises pydantic.ValidationError."""


Bodies = Mapping[tuple[Kind, str], str]
"""(kind, slug) → digest of the body that stands there instead; a contract's slug is `domain`."""


class BundleInvalid(ValueError):
    """A bundle lacks a body that its manifest names, or holds one that is not what its digest says."""


class Ref(Part):
    """A component's body by name and digest; plans and clauses speak of components by slug."""

    slug: str
    body: str


class Pin(Part):
    """What was fixed when the environment was composed."""

    binding: dict[str, str] = {}
    """Slot → key of the row bound to it."""
    effect: list[dict[str, Any]] | None = None
    """The expected effect (see `worlds.diff`), fresh keys masked; None where the goal does not ask for one."""


class Manifest(Part):
    """All that an environment is made of, by digest."""

    format: Literal[1] = FORMAT  # type: ignore[assignment]  # a plain int constant, checked by test
    domain: Ref
    intent: Ref
    rules: tuple[Ref, ...]
    records: Ref
    toolservers: tuple[Ref, ...]
    seed: int = 0
    pin: Pin | None = None

    @cached_property
    def digest(self) -> str:
        """The bundle's identity."""
        return digest(self.model_dump(mode="json"))

    def replaced(self, bodies: Bodies) -> Manifest:
        """With other bodies in some of its slots; those of which none is given stay."""

        def ref(kind: Kind, before: Ref) -> Ref:
            slug = "domain" if kind == "domain" else before.slug
            return Ref(slug=before.slug, body=bodies.get((kind, slug), before.body))

        return self.model_copy(
            update={
                "domain": ref("domain", self.domain),
                "intent": ref("intent", self.intent),
                "rules": tuple(ref("rule", each) for each in self.rules),
                "records": ref("records", self.records),
                "toolservers": tuple(ref("toolserver", each) for each in self.toolservers),
            }
        )

    def refs(self) -> list[tuple[Kind, Ref]]:
        """Every component named, with its kind, in the manifest's order."""
        return [
            ("domain", self.domain),
            ("intent", self.intent),
            *(("rule", ref) for ref in self.rules),
            ("records", self.records),
            *(("toolserver", ref) for ref in self.toolservers),
        ]


@dataclass(frozen=True)
class Bundle:
    """A manifest with its bodies: everything that a world needs."""

    manifest: Manifest
    domain: Domain
    intent: Intent
    rules: tuple[Rule, ...]
    records: Recordset
    toolservers: tuple[AnyServerBody, ...]

    @property
    def digest(self) -> str:
        """The manifest's digest."""
        return self.manifest.digest

    @classmethod
    def of(
        cls,
        *,
        domain: tuple[str, Domain],
        intent: tuple[str, Intent],
        rules: tuple[tuple[str, Rule], ...],
        records: tuple[str, Recordset],
        toolservers: tuple[tuple[str, AnyServerBody], ...],
        seed: int = 0,
        pin: Pin | None = None,
    ) -> Self:
        """A bundle from bodies with their slugs."""
        manifest = Manifest(
            domain=_ref(domain),
            intent=_ref(intent),
            rules=tuple(_ref(rule) for rule in rules),
            records=_ref(records),
            toolservers=tuple(_ref(server) for server in toolservers),
            seed=seed,
            pin=pin,
        )
        return cls(
            manifest,
            domain[1],
            intent[1],
            tuple(body for _, body in rules),
            records[1],
            tuple(body for _, body in toolservers),
        )

    @classmethod
    def assemble(cls, manifest: Manifest, bodies: Mapping[str, Body]) -> Self:
        """The bundle of `manifest` from bodies by digest (already parsed, so that they can be shared)."""
        missing = [ref.slug for _, ref in manifest.refs() if ref.body not in bodies]
        if missing:
            raise BundleInvalid(f"the bundle lacks the bodies of {', '.join(missing)}")
        got: dict[str, list[Any]] = {}
        for kind, ref in manifest.refs():
            body = bodies[ref.body]
            if body.kind != kind:
                raise BundleInvalid(f"{ref.slug} should be a {kind}, its body is a {body.kind}")
            got.setdefault(kind, []).append(body)
        return cls(
            manifest,
            got["domain"][0],
            got["intent"][0],
            tuple(got.get("rule", ())),
            got["records"][0],
            tuple(got.get("toolserver", ())),
        )

    @classmethod
    def parse(cls, document: Any) -> Self:
        """The bundle that `to_json` wrote; raises BundleInvalid when anything does not fit its digest."""
        try:
            manifest = Manifest.model_validate(document["manifest"])
            bodies = {
                ref.body: PARSERS[kind](document["bodies"][ref.body])
                for kind, ref in manifest.refs()
            }
        except (KeyError, TypeError, ValidationError) as error:
            raise BundleInvalid(f"this is not a bundle: {error}") from error
        for name, body in bodies.items():
            if body.digest != name:
                raise BundleInvalid(f"the body named {name[:12]} has the digest {body.digest[:12]}")
            if isinstance(body, OutsideBody) and body.patch:
                raise BundleInvalid(
                    f"the body named {name[:12]} carries a patch: only a trial runs it"
                )
        return cls.assemble(manifest, bodies)

    def to_json(self) -> dict[str, Any]:
        """`{manifest, digest, bodies: {digest: content}}`."""
        return {
            "manifest": self.manifest.model_dump(mode="json"),
            "digest": self.digest,
            "bodies": {
                ref.body: body.content()
                for (_, ref), body in zip(self.manifest.refs(), self.bodies(), strict=True)
            },
        }

    def bodies(self) -> list[Body]:
        """The bodies in the order of `manifest.refs()`."""
        return [self.domain, self.intent, *self.rules, self.records, *self.toolservers]


def _ref(named: tuple[str, Body]) -> Ref:
    return Ref(slug=named[0], body=named[1].digest)
