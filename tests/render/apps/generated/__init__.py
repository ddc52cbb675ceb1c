"""Applications made from a seed: no two alike, and none that anybody wrote an explorer for."""

from tests.render.apps.generated.application import GeneratedApp, generated_app

__all__ = ["GeneratedApp", "generated_app"]
