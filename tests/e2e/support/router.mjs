// A model router on this machine that gives every model the same answer, for tests without the sandbox.

import { createServer } from "node:http";

const message = { role: "assistant", content: "For a plumber, example.com is a good choice. Others are Grau & Fills and Aigua Clara." };
const answer = {
  id: "1",
  object: "chat.completion",
  model: "mock",
  usage: { prompt_tokens: 50, completion_tokens: 30, total_tokens: 80 },
  choices: [{ index: 0, finish_reason: "stop", message }],
};

// The keys that callers sent are in `keys`, in their order.
export const startRouter = async () => {
  const keys = [];
  const server = createServer((request, response) => {
    const asks = request.method === "POST" && request.url.endsWith("/chat/completions");
    if (asks) keys.push(request.headers.authorization);
    request.resume().on("end", () => {
      response.setHeader("Content-Type", "application/json");
      response.end(JSON.stringify(asks ? answer : { object: "list", data: [] }));
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = () =>
    new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${server.address().port}`, keys, stop };
};
