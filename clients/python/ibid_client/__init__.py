"""A client of ibid."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from typing import Any

import httpx
from standardwebhooks import Webhook

from .core.api.a2a import buy_scan
from .core.api.v1 import compare_scans, create_scan, list_models, plan_scan, read_history, read_scan
from .core.api.v2 import (
    add_destination,
    add_project,
    add_question_set,
    add_webhook,
    check_questions,
    list_projects,
    list_question_sets,
    list_webhooks,
    propose_questions,
    read_project,
    read_project_history,
    start_project_run,
)
from .core.client import AuthenticatedClient
from .core.models import (
    Comparison,
    Destination,
    DestinationRequest,
    History,
    HistoryRequest,
    Models,
    PaidScanRequest,
    PaymentRequired,
    Project,
    ProjectHistory,
    ProjectList,
    ProjectRequest,
    Proposal,
    ProposalRequest,
    QuestionCheckRequest,
    QuestionSet,
    QuestionSetList,
    QuestionSetRequest,
    QuestionsReport,
    ScanPlan,
    ScanReply,
    ScanRequest,
    ScheduleRun,
    StoredScan,
    WebhookList,
    WebhookRequest,
    WebhookWithSecret,
)
from .core.types import Response

__all__ = ["Ibid", "Payer", "Problem", "verify_webhook", "x402_payer"]

#: Takes the address, the headers and the body of a 402, and returns the headers that pay.
Payer = Callable[[str, Mapping[str, str], bytes], Mapping[str, str]]

#: Statuses of requests that may succeed later.
_LATER = (408, 429, 502, 503)


class Problem(Exception):
    """A refusal of the server: a problem document (RFC 9457)."""

    def __init__(self, status: int, body: bytes) -> None:
        try:
            document = json.loads(body)
        except ValueError:
            document = {}
        self.status = status
        self.code: str = document.get("code") or document.get("error") or "unknown"
        self.detail: str = document.get("detail") or ""
        self.errors: list[dict[str, Any]] = document.get("errors") or []
        super().__init__(f"{status} {self.code}: {self.detail}")


class Ibid:
    """The API of one server."""

    def __init__(
        self,
        address: str,
        *,
        api_key: str = "",
        provider_key: str = "",
        timeout: float = 600,
        patience: float = 120,
    ) -> None:
        self._address = address.rstrip("/")
        self._core = AuthenticatedClient(base_url=address, token=api_key, timeout=httpx.Timeout(timeout))
        self._provider_key = provider_key
        self._patience = patience

    def __enter__(self) -> Ibid:
        self._core.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._core.__exit__(*error)

    def plan(self, **order: Any) -> ScanPlan:
        """Returns the questions and the cost of a scan. Asks no model."""
        body = ScanRequest.from_dict(_wire(order))
        return self._repeat(lambda: plan_scan.sync_detailed(client=self._core, body=body))

    def scan(self, **order: Any) -> ScanReply:
        """Runs a scan that the provider key pays, and waits for it. A refused request is not billed, so it may be sent again."""
        body = ScanRequest.from_dict(_wire(order))
        return self._repeat(
            lambda: create_scan.sync_detailed(client=self._core, body=body, x_router_key=self._provider_key),
            # A scan that failed half way was billed by the provider.
            later=(429, 503),
        )

    def read(self, scan_id: str) -> StoredScan:
        """Returns a stored scan."""
        return self._repeat(lambda: read_scan.sync_detailed(scan_id, client=self._core))

    def compare(self, first: str, second: str) -> Comparison:
        """Tests whether the second scan differs from the first by more than chance."""
        return self._repeat(lambda: compare_scans.sync_detailed(first, second, client=self._core))

    def history(self, *scan_ids: str) -> History:
        """Finds the changes in a series of scans, given in the order of time."""
        body = HistoryRequest.from_dict({"scanIds": list(scan_ids)})
        return self._repeat(lambda: read_history.sync_detailed(client=self._core, body=body))

    def projects(self) -> ProjectList:
        """Lists the projects that the key opens. The key of a project is the `api_key` of this object."""
        return self._repeat(lambda: list_projects.sync_detailed(client=self._core))

    def add_project(self, **project: Any) -> Project:
        """Makes a project. Its `forecast` has what its runs will cost and see."""
        body = ProjectRequest.from_dict(_wire(project))
        return self._once(lambda: add_project.sync_detailed(client=self._core, body=body))

    def project(self, project_id: str) -> Project:
        """Returns a project with its level, its verdict and its spending."""
        return self._repeat(lambda: read_project.sync_detailed(project_id, client=self._core))

    def run_project(self, project_id: str) -> ScheduleRun:
        """Starts a run of a project now."""
        return self._once(lambda: start_project_run.sync_detailed(project_id, client=self._core))

    def project_history(self, project_id: str) -> ProjectHistory:
        """Returns the runs of a project, its level and the changes."""
        return self._repeat(lambda: read_project_history.sync_detailed(project_id, client=self._core))

    def add_destination(self, project_id: str, **destination: Any) -> Destination:
        """Sends the news of a project to an address. With `kind="webhook"` the `secret` is never shown again; `verify_webhook` takes it."""
        body = DestinationRequest.from_dict(_wire(destination))
        return self._once(lambda: add_destination.sync_detailed(project_id, client=self._core, body=body))

    def question_sets(self) -> QuestionSetList:
        """Lists the question sets of the key."""
        return self._repeat(lambda: list_question_sets.sync_detailed(client=self._core))

    def add_question_set(self, **question_set: Any) -> QuestionSet:
        """Stores questions as a set. A scan names it as `question_set`."""
        body = QuestionSetRequest.from_dict(_wire(question_set))
        return self._once(lambda: add_question_set.sync_detailed(client=self._core, body=body))

    def check_questions(self, **subject: Any) -> QuestionsReport:
        """Says what is wrong with each of `questions`. Asks no model."""
        body = QuestionCheckRequest.from_dict(_wire(subject))
        return self._repeat(lambda: check_questions.sync_detailed(client=self._core, body=body))

    def propose_questions(self, **subject: Any) -> Proposal:
        """Lets a model propose questions; the provider key pays. With `dry_run=True` it shows the request and its price."""
        body = ProposalRequest.from_dict(_wire(subject))
        key = self._provider_key
        return self._once(lambda: propose_questions.sync_detailed(client=self._core, body=body, x_router_key=key))

    def webhooks(self) -> WebhookList:
        """Lists the webhooks of the key."""
        return self._repeat(lambda: list_webhooks.sync_detailed(client=self._core))

    def add_webhook(self, **webhook: Any) -> WebhookWithSecret:
        """Makes a webhook. Its `secret` is never shown again; `verify_webhook` takes it."""
        body = WebhookRequest.from_dict(_wire(webhook))
        return self._once(lambda: add_webhook.sync_detailed(client=self._core, body=body))

    def models(self) -> Models:
        """Lists the models that a scan can ask."""
        return self._repeat(lambda: list_models.sync_detailed(client=self._core))

    def buy(self, pay: Payer, **order: Any) -> StoredScan:
        """Buys a scan with one payment, which is sent again while the outcome of its settlement is unknown."""
        body = PaidScanRequest.from_dict(_wire(order))
        offer = buy_scan.sync_detailed(client=self._core, body=body)
        if not isinstance(offer.parsed, PaymentRequired):
            raise Problem(int(offer.status_code), offer.content)
        paid = pay(f"{self._address}/api/a2a/scan", offer.headers, offer.content)
        proof = {name.lower().replace("-", "_"): value for name, value in paid.items()}
        return self._repeat(lambda: buy_scan.sync_detailed(client=self._core, body=body, **proof))

    def _once(self, send: Callable[[], Response[Any]]) -> Any:
        """Sends a request that changes something. A lost answer may have changed it, so only a refusal is repeated."""
        return self._repeat(send, later=(429,))

    def _repeat(self, send: Callable[[], Response[Any]], later: tuple[int, ...] = _LATER) -> Any:
        until = time.monotonic() + self._patience
        while True:
            answer = send()
            status = int(answer.status_code)
            if 200 <= status < 300:
                return answer.parsed
            wait = float(answer.headers.get("Retry-After", "inf"))
            if status not in later or time.monotonic() + wait > until:
                raise Problem(status, answer.content)
            time.sleep(wait)


def _wire(order: Mapping[str, Any]) -> dict[str, Any]:
    """The members of an order with their names on the wire: `questions_per_model` is `questionsPerModel`."""

    def name(words: str) -> str:
        first, *rest = words.split("_")
        return first + "".join(word.capitalize() for word in rest)

    return {name(key): value for key, value in order.items()}


def verify_webhook(secret: str, body: bytes | str, headers: Mapping[str, str]) -> dict[str, Any]:
    """Returns the event of a message that the server signed: its `type`, such as `change.noticed`, its `timestamp` and its `data`.

    Raises `standardwebhooks.WebhookVerificationError` for another sender, and for a message that is older than five minutes.
    """
    return Webhook(secret).verify(body, {name.lower(): value for name, value in headers.items()})


def x402_payer(private_key: str, network: str = "eip155:*") -> Payer:
    """Pays with the wallet of a private key."""
    from eth_account import Account
    from x402 import x402ClientSync
    from x402.http import x402HTTPClientSync
    from x402.mechanisms.evm.exact.register import register_exact_evm_client

    client = x402ClientSync()
    register_exact_evm_client(client, Account.from_key(private_key), networks=network)
    http = x402HTTPClientSync(client)

    def pay(address: str, headers: Mapping[str, str], body: bytes) -> Mapping[str, str]:
        paid, _ = http.handle_402_response(dict(headers), body, address)
        return paid

    return pay
