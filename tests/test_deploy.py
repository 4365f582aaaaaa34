"""The examples for servers: every field is known, every name that is used is there, commands exist."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from memdown.cli import cli as command

DEPLOY = Path(__file__).parents[1] / "deploy"
TEXT = {"type": "string", "minLength": 1}
TEXTS = {"type": "array", "items": TEXT}


def closed(required: str = "", **fields: Any) -> dict[str, Any]:
    """An object with these fields and no others."""
    return {
        "type": "object",
        "properties": fields,
        "required": required.split(),
        "additionalProperties": False,
    }


COMPOSE = closed(
    "services",
    services={
        "type": "object",
        "additionalProperties": closed(
            "image",
            image={"type": "string", "pattern": r"^[a-z0-9./-]+:[a-z0-9.-]+$"},
            restart={"enum": ["no", "always", "on-failure", "unless-stopped"]},
            environment={"type": "object", "additionalProperties": TEXT},
            secrets=TEXTS,
            volumes=TEXTS,
            shm_size=TEXT,
            command=TEXTS,
            depends_on={
                "type": "object",
                "additionalProperties": closed(
                    "condition", condition={"enum": ["service_started", "service_healthy"]}
                ),
            },
            healthcheck=closed(
                "test", test=TEXTS, interval=TEXT, timeout=TEXT, retries={"type": "integer"}
            ),
        ),
    },
    volumes={"type": "object"},
    secrets={"type": "object", "additionalProperties": closed("file", file=TEXT)},
)

CONTAINER = closed(
    "name image",
    name=TEXT,
    image=TEXT,
    args=TEXTS,
    env={
        "type": "array",
        "items": closed(
            "name",
            name=TEXT,
            value=TEXT,
            valueFrom=closed("secretKeyRef", secretKeyRef=closed("name key", name=TEXT, key=TEXT)),
        ),
    },
    ports={
        "type": "array",
        "items": closed("containerPort", name=TEXT, containerPort={"type": "integer"}),
    },
    readinessProbe=closed(
        "exec", exec=closed("command", command=TEXTS), periodSeconds={"type": "integer"}
    ),
    resources=closed(requests={"type": "object"}, limits={"type": "object"}),
    volumeMounts={
        "type": "array",
        "items": closed("name mountPath", name=TEXT, mountPath=TEXT, readOnly={"type": "boolean"}),
    },
)
POD = closed(
    "spec",
    metadata=closed("labels", labels={"type": "object"}),
    spec=closed(
        "containers",
        containers={"type": "array", "items": CONTAINER, "minItems": 1},
        restartPolicy={"enum": ["OnFailure", "Never", "Always"]},
        securityContext={"type": "object"},
        volumes={
            "type": "array",
            "items": closed(
                "name",
                name=TEXT,
                emptyDir={"type": "object"},
                configMap=closed("name", name=TEXT),
                persistentVolumeClaim=closed("claimName", claimName=TEXT),
            ),
        },
    ),
)
CLAIM = closed(
    "accessModes resources",
    accessModes={"type": "array", "items": {"enum": ["ReadWriteOnce", "ReadWriteMany"]}},
    resources=closed("requests", requests=closed("storage", storage=TEXT)),
)
SELECTOR = closed("matchLabels", matchLabels={"type": "object"})
SPECS = {
    ("v1", "Service"): closed(
        "selector ports", clusterIP=TEXT, selector={"type": "object"}, ports={"type": "array"}
    ),
    ("v1", "PersistentVolumeClaim"): CLAIM,
    ("apps/v1", "StatefulSet"): closed(
        "serviceName selector template",
        serviceName=TEXT,
        replicas={"type": "integer"},
        selector=SELECTOR,
        template=POD,
        volumeClaimTemplates={
            "type": "array",
            "items": closed("metadata spec", metadata=closed("name", name=TEXT), spec=CLAIM),
        },
    ),
    ("apps/v1", "Deployment"): closed(
        "selector template", replicas={"type": "integer"}, selector=SELECTOR, template=POD
    ),
    ("batch/v1", "Job"): closed("template", backoffLimit={"type": "integer"}, template=POD),
}


def manifests() -> list[dict[str, Any]]:
    return list(yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text()))


def named(kind: str) -> set[str]:
    return {one["metadata"]["name"] for one in manifests() if one["kind"] == kind}


def pods() -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    for one in manifests():
        if "template" in one.get("spec", {}):
            yield one, one["spec"]["template"]


def test_the_compose_file() -> None:
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    Draft202012Validator(COMPOSE).validate(compose)
    for service in compose["services"].values():
        assert set(service.get("secrets", ())) <= compose["secrets"].keys()
        assert set(service.get("depends_on", {})) <= compose["services"].keys()
        for volume in service["volumes"]:
            source = volume.split(":")[0]
            assert source.startswith("./") or source in compose["volumes"], volume


@pytest.mark.parametrize(
    "one", manifests(), ids=lambda one: f"{one['kind']}-{one['metadata']['name']}"
)
def test_a_manifest(one: dict[str, Any]) -> None:
    assert re.fullmatch(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?", one["metadata"]["name"])
    if one["kind"] == "ConfigMap":
        assert all(isinstance(text, str) for text in one["data"].values())
        return
    Draft202012Validator(SPECS[one["apiVersion"], one["kind"]]).validate(one["spec"])


def test_manifests_name_what_there_is() -> None:
    for owner, pod in pods():
        spec = pod["spec"]
        there = {volume["name"] for volume in spec.get("volumes", ())}
        there |= {
            claim["metadata"]["name"] for claim in owner["spec"].get("volumeClaimTemplates", ())
        }
        for container in spec["containers"]:
            assert {mount["name"] for mount in container["volumeMounts"]} <= there
        for volume in spec.get("volumes", ()):
            if "configMap" in volume:
                assert volume["configMap"]["name"] in named("ConfigMap")
            if "persistentVolumeClaim" in volume:
                claim = volume["persistentVolumeClaim"]["claimName"]
                assert claim in named("PersistentVolumeClaim")
        if "selector" in owner["spec"]:
            assert owner["spec"]["selector"]["matchLabels"] == pod["metadata"]["labels"]


def test_the_commands_exist() -> None:
    text = (DEPLOY / "compose.yaml").read_text()
    asked = [found.split() for found in re.findall(r"memdown ((?:store )?[a-z]+) --", text)]
    asked += [
        [word for word in container["args"] if re.fullmatch("[a-z]+", word)]
        for _, pod in pods()
        for container in pod["spec"]["containers"]
        if "args" in container
    ]
    assert asked
    for words in asked:
        group: Any = command
        for word in words:
            group = group.get_command(None, word)
            assert group is not None, words
