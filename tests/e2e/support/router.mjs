// A model router on this machine, for tests without the sandbox.

import { createServer } from "node:http";

const SAID = "For a plumber, example.com is a good choice. Others are Grau & Fills and Aigua Clara.";
const usage = { prompt_tokens: 50, completion_tokens: 30, total_tokens: 80 };
const answer = (model, content) => ({
  id: "1",
  object: "chat.completion",
  model,
  usage,
  choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content } }],
});

const body = async (request) => {
  let text = "";
  for await (const part of request) text += part;
  return text;
};

// `say` gives the answer of a model to a question, or an error's status; without it each model says the same. The keys that
// callers sent are in `keys`, in their order.
export const startRouter = async (say = () => SAID) => {
  const keys = [];
  const server = createServer(async (request, response) => {
    const text = await body(request);
    const asks = request.method === "POST" && request.url.endsWith("/chat/completions");
    if (asks) keys.push(request.headers.authorization);
    response.setHeader("Content-Type", "application/json");
    if (!asks) return response.end(JSON.stringify({ object: "list", data: [] }));
    const { model, messages } = JSON.parse(text);
    const said = say(model, messages.at(-1).content);
    if (typeof said === "string") return response.end(JSON.stringify(answer(model, said)));
    response.statusCode = said;
    return response.end(JSON.stringify({ error: { code: said, message: "Insufficient credits" } }));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = () =>
    new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${server.address().port}`, keys, stop };
};
