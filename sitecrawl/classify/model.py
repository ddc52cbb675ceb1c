"""All that was learned of a site: how its addresses are made, what is much on it, its clusters."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from sitecrawl.classify.addresses import AddressModel
from sitecrawl.classify.priority import SiteScale

if TYPE_CHECKING:
    from collections.abc import Mapping

# Raised whenever the same inventory would give another model, or the same model other classes:
# then what is stored is learned again.
MODEL_VERSION: Final = 3


@dataclass(frozen=True, slots=True)
class SiteModel:
    """What :class:`~sitecrawl.classify.classifier.PageClassifier` works with."""

    addresses: AddressModel = field(default_factory=AddressModel)
    scale: SiteScale = field(default_factory=SiteScale)
    topics: tuple[str, ...] = ()
    cluster_keys: frozenset[str] = frozenset()
    is_whole: bool = True
    """Whether all pages were looked at; else sizes of clusters are estimates."""

    def with_clusters(self, keys: frozenset[str], *, is_whole: bool) -> SiteModel:
        return replace(self, cluster_keys=keys, is_whole=is_whole)

    def as_data(self) -> dict[str, Any]:
        """For JSON; the keys of the clusters are stored with these."""
        return {
            "version": MODEL_VERSION,
            "addresses": self.addresses.as_data(),
            "scale": asdict(self.scale),
            "topics": list(self.topics),
            "is_whole": self.is_whole,
        }

    @classmethod
    def from_data(cls, data: Mapping[str, Any], cluster_keys: frozenset[str]) -> SiteModel | None:
        """The model; None if another version has made it."""
        if data.get("version") != MODEL_VERSION:
            return None
        return cls(
            addresses=AddressModel.from_data(data["addresses"]),
            scale=SiteScale(**data["scale"]),
            topics=tuple(data["topics"]),
            cluster_keys=cluster_keys,
            is_whole=data["is_whole"],
        )
