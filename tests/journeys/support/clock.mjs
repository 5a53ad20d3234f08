// A clock that can be moved while the server runs: Debian's faketime.

import { readdirSync } from "node:fs";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const library = () => {
  const folders = readdirSync("/usr/lib").map((folder) => `/usr/lib/${folder}/faketime`);
  const found = folders.flatMap((folder) => {
    try {
      return readdirSync(folder).filter((name) => name === "libfaketimeMT.so.1").map((name) => join(folder, name));
    } catch {
      return [];
    }
  });
  if (!found.length) throw new Error("faketime is not there: apt-get install faketime");
  return found[0];
};

// The settings of a server whose clock is moved, and the ways to move it. Timers do not follow; a server that starts again does at once
// what has become due.
export const startClock = async () => {
  const folder = await mkdtemp(join(tmpdir(), "ibid-clock-"));
  const file = join(folder, "clock");
  let ahead = 0;
  const move = async (seconds) => {
    ahead = Math.max(ahead, Math.round(seconds));
    // A file that is read while it is written is empty.
    await writeFile(`${file}.new`, `+${ahead}`);
    await rename(`${file}.new`, file);
  };
  await move(0);
  return {
    settings: { LD_PRELOAD: library(), FAKETIME_TIMESTAMP_FILE: file, FAKETIME_DONT_FAKE_MONOTONIC: "1", FAKETIME_CACHE_DURATION: "1" },
    now: () => new Date(Date.now() + ahead * 1000),
    set: (date) => move((date - Date.now()) / 1000),
    pass: (minutes) => move(ahead + minutes * 60),
    stop: () => rm(folder, { recursive: true }),
  };
};
