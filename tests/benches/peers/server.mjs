// An agent on the JavaScript SDK's own server that asks for payment, as ibid does: the least that a peer has to do.
//
//   npm install @a2a-js/sdk@0.3.14 express@4 && node server.mjs PORT
import { DefaultRequestHandler, InMemoryTaskStore } from "@a2a-js/sdk/server";
import { A2AExpressApp } from "@a2a-js/sdk/server/express";
import express from "express";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";

const port = Number(process.argv[2]);
const offer = JSON.parse(readFileSync(new URL("./offer.json", import.meta.url)));
const skill = { id: "scan", name: "scan", description: "scan", tags: ["scan"] };
const card = {
  name: "peer", description: "peer", url: `http://127.0.0.1:${port}/`, version: "1", protocolVersion: "0.3.0",
  capabilities: { streaming: true }, defaultInputModes: ["application/json"], defaultOutputModes: ["application/json"],
  skills: [skill],
};
const asks = {
  async execute(context, bus) {
    const { taskId, contextId, userMessage } = context;
    const said = { kind: "message", role: "agent", messageId: randomUUID(), taskId, contextId, metadata: offer,
      parts: [{ kind: "text", text: "scan costs 0.15 USDC." }] };
    bus.publish({ kind: "task", id: taskId, contextId, history: [userMessage],
      status: { state: "input-required", message: said, timestamp: new Date().toISOString() } });
    bus.finished();
  },
  async cancelTask() {},
};
const handler = new DefaultRequestHandler(card, new InMemoryTaskStore(), asks);
new A2AExpressApp(handler).setupRoutes(express()).listen(port, "127.0.0.1");
