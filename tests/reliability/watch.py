"""What a patient caller sees while others load the server."""

import asyncio
import contextlib
import time

from client import request, scan, scan_id


class Watch:
    """Asks /healthz ten times a second and orders one small scan after the other. Samples memory."""

    def __init__(self, server, polite=True):
        self.server, self.polite = server, polite
        self.health, self.scans, self.statuses, self.ids, self.peak = [], [], [], [], 0.0

    async def _health(self):
        while True:
            begun = time.monotonic()
            status, _, _ = await request(self.server.port, "GET", "/healthz", patience=30)
            self.health.append(time.monotonic() - begun if status == 200 else 30.0)
            self.peak = max(self.peak, self.server.memory())
            await asyncio.sleep(0.1)

    async def _scan(self):
        number = 0
        while self.polite:
            number += 1
            status, took, body = await scan(self.server.port, f"polite {number}", key="polite-key")
            self.statuses.append(status)
            self.scans.append(took)
            self.ids += scan_id(body)
            # A refusal comes at once. A patient caller does not ask again at once.
            await asyncio.sleep(0 if status == 200 else 0.2)

    async def during(self, load):
        """Watches while `load` runs, at least four seconds, and until the scan under way has ended."""
        health = asyncio.create_task(self._health())
        polite = asyncio.create_task(self._scan())
        result, _ = await asyncio.gather(load, asyncio.sleep(4))
        if self.polite:
            before = len(self.scans)
            for _ in range(1200):
                if len(self.scans) > before:
                    break
                await asyncio.sleep(0.1)
        for task in (health, polite):
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
        return result


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else 0.0
