// A clock that can be moved while the server runs: Debian's faketime.

import { readdirSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
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

// The settings of a server whose clock is moved, and the way to move it: `by` is a number of days from the time of the machine.
export const startClock = async () => {
  const folder = await mkdtemp(join(tmpdir(), "ibid-clock-"));
  const file = join(folder, "clock");
  const move = (days) => writeFile(file, `+${Math.round(days * 86_400)}`);
  await move(0);
  const settings = {
    LD_PRELOAD: library(),
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
    FAKETIME_CACHE_DURATION: "1",
  };
  return { settings, move, stop: () => rm(folder, { recursive: true }) };
};
