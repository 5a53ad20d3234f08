"""A client of ibid."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from typing import Any

import httpx

from .core.api.a2a import buy_scan
from .core.api.v1 import compare_scans, create_scan, list_models, plan_scan, read_scan
from .core.client import AuthenticatedClient
from .core.models import (
    Comparison,
    Models,
    PaidScanRequest,
    PaymentRequired,
    ScanPlan,
    ScanReply,
    ScanRequest,
    StoredScan,
)
from .core.types import Response

__all__ = ["Ibid", "Payer", "Problem", "x402_payer"]

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

    def _repeat(self, send: Callable[[], Response[Any]], later: tuple[int, ...] = _LATER) -> Any:
        until = time.monotonic() + self._patience
        while True:
            answer = send()
            status = int(answer.status_code)
            if status == 200:
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
