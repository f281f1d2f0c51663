"""Write the citation file of a release, in the Citation File Format (CFF 1.2.0)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from synth.core.accounting import exact
from synth.release.documents import yaml_text
from synth.release.documents.templating import flat
from synth.release.layout import marked

PUBLISHER = "The publisher of this release"
_KNOWN = ("CC0-1.0", "CC-BY-4.0", "CC-BY-SA-4.0", "CC-BY-NC-4.0", "ODC-By-1.0", "Apache-2.0", "MIT")
"""Licences that are recognised, with their SPDX names. Other licences are named only in the licence note."""


def write(statement: Mapping[str, Any]) -> str:
    """Return the text of the file. It depends only on the privacy statement."""
    release, imprint = statement["release"], statement["imprint"]
    licence = spdx(imprint["licence"])
    return yaml_text.write(
        {
            "cff-version": "1.2.0",
            "message": "If you use these rows, please cite the release as below.",
            "type": "dataset",
            "title": marked(release, f"{release['title']}: synthetic rows"),
            "abstract": "Synthetic rows with differential privacy, "
            f"epsilon {exact(statement['epsilon'])} at delta "
            f"{exact(statement['delta'])}, made with Marginalia {statement['software']['marginalia']}.",
            "authors": [{"name": flat(imprint["contact"]) or PUBLISHER}],
            "version": release["id"],
            "date-released": release["date"],
            "keywords": ["synthetic data", "differential privacy"],
            **({"license": licence} if licence else {}),
        }
    )


def sentence(statement: Mapping[str, Any]) -> str:
    """Return the citation of a release as one line."""
    release = statement["release"]
    return (
        f"{marked(release, flat(release['title']))}, synthetic rows, release {release['id']}, "
        f"{release['date']}, made with Marginalia {statement['software']['marginalia']}."
    )


def spdx(licence: str) -> str | None:
    """Return the SPDX name of a licence that the steward typed, or None if it is not recognised.

    >>> spdx("CC BY 4.0 (name the source)"), spdx("By agreement only")
    ('CC-BY-4.0', None)
    """
    words = re.sub(r"\s+", "-", licence.partition("(")[0].strip()).lower()
    return next((name for name in _KNOWN if name.lower() == words), None)
