// The real server in its sandbox, on a free port, with a database of its own.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const BINARY = process.env.IBID_SERVER ?? fileURLToPath(new URL("../../../target/debug/ibid-server", import.meta.url));
const START_SECONDS = 60;
// Python has SQLite in its standard library; Node before 22 has not.
const SQL = "import sqlite3, sys; database = sqlite3.connect(sys.argv[1], 20); database.execute(sys.argv[2]); database.commit()";

const freePort = () =>
  new Promise((resolve, reject) => {
    const probe = createServer().once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });

// Runs a program to its end and gives what it printed.
const run = (program, args, env, input = "") =>
  new Promise((resolve, reject) => {
    const child = spawn(program, args, { env });
    let out = "";
    child.stdout.on("data", (chunk) => (out += chunk));
    child.stderr.on("data", (chunk) => (out += chunk));
    child.once("error", reject);
    child.once("exit", (code) => (code === 0 ? resolve(out) : reject(new Error(`${program} ${args.join(" ")}: ${out}`))));
    child.stdin.end(input);
  });

// A sandbox on its first day, whose answers take a time in milliseconds.
export const sandbox = (latency = 0) => ["--sandbox", "--no-demo", "--sandbox-day", "0", "--sandbox-latency", String(latency)];

// Settings are environment variables. `args` replaces those of the sandbox.
export const startServer = async (settings = {}, args = sandbox()) => {
  if (!existsSync(BINARY)) throw new Error(`${BINARY} is not there: cargo build -p ibid-server`);
  const folder = await mkdtemp(join(tmpdir(), "ibid-e2e-"));
  const database = join(folder, "e2e.db");
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = {
    PATH: process.env.PATH,
    BIND: `127.0.0.1:${port}`,
    BASE_URL: url,
    DATABASE_URL: `sqlite:${database}`,
    CONTACT_EMAIL: "access@ibid.test",
    LOG: "warn",
    ...settings,
  };
  let child;
  let log = "";
  const begin = async () => {
    child = spawn(BINARY, args, { env, stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.on("data", (chunk) => (log += chunk));
    child.stderr.on("data", (chunk) => (log += chunk));
    for (let tries = 0; tries < START_SECONDS * 10; tries += 1) {
      if (child.exitCode !== null) throw new Error(`the server ended at once: ${log}`);
      if (await fetch(`${url}/readyz`).then((answer) => answer.ok, () => false)) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    await halt();
    throw new Error(`the server was not ready in ${START_SECONDS} s: ${log}`);
  };
  const halt = async () => {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    await ended;
  };
  await begin();
  return {
    url,
    stop: async () => {
      await halt();
      await rm(folder, { recursive: true });
    },
    // Starts again on the same database and port, after what is done between.
    restart: async (between) => {
      await halt();
      await between();
      await begin();
    },
    log: () => log,
    command: (args, input) => run(BINARY, args, env, input),
    // For states that only time brings.
    sql: (statement) => run("python3", ["-c", SQL, database, statement], env),
  };
};

// The path of the link that a server without accounts prints once it listens.
export const printedPath = async (server) => {
  const patience = Date.now() + 20_000;
  for (;;) {
    const found = server.log().match(/\/first-run\/\S+/);
    if (found) return found[0];
    if (Date.now() > patience) throw new Error(server.log());
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};
