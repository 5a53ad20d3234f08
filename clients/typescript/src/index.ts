// A client of ibid.
import createClient from "openapi-fetch";
import { Webhook } from "standardwebhooks";
import type { components, paths, webhooks } from "./schema.js";

type Schemas = components["schemas"];
export type ScanRequest = Schemas["ScanRequest"];
export type ScanReply = Schemas["ScanReply"];
export type StoredScan = Schemas["StoredScan"];

/** Takes the answer with status 402, and returns the headers that pay. */
export type Payer = (demand: Response) => Promise<Record<string, string>>;

export interface Options {
  /** The service key of the server. */
  apiKey?: string;
  /** The key at the model provider, which pays the models. */
  providerKey?: string;
  /** Longest time for which a request is repeated, in milliseconds. */
  patienceMs?: number;
}

/** A refusal of the server: a problem document (RFC 9457). */
export class Problem extends Error {
  readonly code: string;
  readonly detail: string;
  readonly errors: { field: string; code: string; message: string }[];

  constructor(readonly status: number, body: unknown) {
    const document = (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>;
    const code = String(document["code"] ?? document["error"] ?? "unknown");
    const detail = String(document["detail"] ?? "");
    super(`${status} ${code}: ${detail}`);
    this.code = code;
    this.detail = detail;
    this.errors = (document["errors"] as Problem["errors"] | undefined) ?? [];
  }
}

/** What the core returns for a request. */
interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

const LATER = [408, 429, 502, 503];
/** A request that changes something may have done so when its answer was lost, so only a refusal is repeated. */
const ONCE = [429];

/** The API of one server. */
export class Ibid {
  readonly #core;
  readonly #providerKey: string;
  readonly #patienceMs: number;

  constructor(address: string, options: Options = {}) {
    const headers = options.apiKey ? { Authorization: `Bearer ${options.apiKey}` } : {};
    this.#core = createClient<paths>({ baseUrl: address, headers });
    this.#providerKey = options.providerKey ?? "";
    this.#patienceMs = options.patienceMs ?? 120_000;
  }

  /** Returns the questions and the cost of a scan. Asks no model. */
  plan(order: ScanRequest): Promise<Schemas["ScanPlan"]> {
    return this.#repeat(() => this.#core.POST("/api/v1/plan", { body: order }));
  }

  /** Runs a scan that the provider key pays, and waits for it. */
  scan(order: ScanRequest): Promise<ScanReply> {
    const params = { header: { "X-Router-Key": this.#providerKey } };
    // A scan that failed half way was billed by the provider, so it is not sent again.
    return this.#repeat(() => this.#core.POST("/api/v1/scan", { body: order, params }), [429, 503]);
  }

  /** Returns a stored scan. */
  read(id: string): Promise<StoredScan> {
    return this.#repeat(() => this.#core.GET("/api/v1/scan/{id}", { params: { path: { id } } }));
  }

  /** Tests whether the second scan differs from the first by more than chance. */
  compare(id: string, other: string): Promise<Schemas["Comparison"]> {
    return this.#repeat(() => this.#core.GET("/api/v1/scan/{id}/compare/{other}", { params: { path: { id, other } } }));
  }

  /** Finds the changes in a series of scans, given in the order of time. */
  history(...scanIds: string[]): Promise<Schemas["History"]> {
    return this.#repeat(() => this.#core.POST("/api/v1/history", { body: { scanIds } }));
  }

  /** Lists the projects that the key opens. The key of a project is the `apiKey` of this object. */
  projects(): Promise<Schemas["ProjectList"]> {
    return this.#repeat(() => this.#core.GET("/api/v2/projects"));
  }

  /** Makes a project. Its `forecast` has what its runs will cost and see. */
  addProject(project: Schemas["ProjectRequest"]): Promise<Schemas["Project"]> {
    return this.#repeat(() => this.#core.POST("/api/v2/projects", { body: project }), ONCE);
  }

  /** Returns a project with its level, its verdict and its spending. */
  project(id: string): Promise<Schemas["Project"]> {
    return this.#repeat(() => this.#core.GET("/api/v2/projects/{id}", { params: { path: { id } } }));
  }

  /** Starts a run of a project now. */
  runProject(id: string): Promise<Schemas["ScheduleRun"]> {
    return this.#repeat(() => this.#core.POST("/api/v2/projects/{id}/runs", { params: { path: { id } } }), ONCE);
  }

  /** Returns the runs of a project, its level and the changes. */
  projectHistory(id: string): Promise<Schemas["ProjectHistory"]> {
    return this.#repeat(() => this.#core.GET("/api/v2/projects/{id}/history", { params: { path: { id } } }));
  }

  /** Sends the news of a project to an address. With kind `webhook` the `secret` is never shown again; `verifyWebhook` takes it. */
  addDestination(id: string, destination: Schemas["DestinationRequest"]): Promise<Schemas["Destination"]> {
    const call = { params: { path: { id } }, body: destination };
    return this.#repeat(() => this.#core.POST("/api/v2/projects/{id}/destinations", call), ONCE);
  }

  /** Lists the question sets of the key. */
  questionSets(): Promise<Schemas["QuestionSetList"]> {
    return this.#repeat(() => this.#core.GET("/api/v2/question-sets"));
  }

  /** Stores questions as a set. A scan names it as `questionSet`. */
  addQuestionSet(set: Schemas["QuestionSetRequest"]): Promise<Schemas["QuestionSet"]> {
    return this.#repeat(() => this.#core.POST("/api/v2/question-sets", { body: set }), ONCE);
  }

  /** Says what is wrong with each question. Asks no model. */
  checkQuestions(subject: Schemas["QuestionCheckRequest"]): Promise<Schemas["QuestionsReport"]> {
    return this.#repeat(() => this.#core.POST("/api/v2/questions/check", { body: subject }));
  }

  /** Lets a model propose questions; the provider key pays. */
  proposeQuestions(subject: Schemas["ProposalRequest"]): Promise<Schemas["Proposal"]> {
    const params = { header: { "X-Router-Key": this.#providerKey } };
    return this.#repeat(() => this.#core.POST("/api/v2/questions/propose", { body: subject, params }), ONCE);
  }

  /** Lists the webhooks of the key. */
  webhooks(): Promise<Schemas["WebhookList"]> {
    return this.#repeat(() => this.#core.GET("/api/v2/webhooks"));
  }

  /** Makes a webhook. Its `secret` is never shown again; `verifyWebhook` takes it. */
  addWebhook(webhook: Schemas["WebhookRequest"]): Promise<Schemas["WebhookWithSecret"]> {
    return this.#repeat(() => this.#core.POST("/api/v2/webhooks", { body: webhook }), ONCE);
  }

  /** Lists the models that a scan can ask. */
  models(): Promise<Schemas["Models"]> {
    return this.#repeat(() => this.#core.GET("/api/v1/models"));
  }

  /** Buys a scan with one payment, which is sent again while the outcome of its settlement is unknown. */
  async buy(order: Schemas["PaidScanRequest"], pay: Payer): Promise<StoredScan> {
    const offer = await this.#core.POST("/api/a2a/scan", { body: order, parseAs: "stream" });
    if (offer.response.status !== 402) {
      throw new Problem(offer.response.status, offer.error);
    }
    const headers = await pay(new Response(JSON.stringify(offer.error), { status: 402, headers: offer.response.headers }));
    return this.#repeat(() => this.#core.POST("/api/a2a/scan", { body: order, headers }));
  }

  async #repeat<T>(send: () => Promise<Answer<T>>, later: number[] = LATER): Promise<T> {
    const until = Date.now() + this.#patienceMs;
    for (;;) {
      const { data, error, response } = await send();
      if (data !== undefined) {
        return data;
      }
      const waitMs = Number(response.headers.get("Retry-After") ?? Infinity) * 1000;
      if (!later.includes(response.status) || Date.now() + waitMs > until) {
        throw new Problem(response.status, error);
      }
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }
}

/** An event of a webhook. */
export interface WebhookEvent {
  type: string;
  timestamp: string;
  data: Record<string, unknown>;
}

type Message<Event extends keyof webhooks> = webhooks[Event]["post"]["requestBody"]["content"]["application/json"];

/** An event of a webhook of a project, by its `type`. */
export type ProjectEvent = { [Event in keyof webhooks]: Message<Event> }[keyof webhooks];

/**
 * Returns the event of a message that the server signed.
 *
 * Throws `WebhookVerificationError` of the package `standardwebhooks` for another sender, and for a message that is older than five
 * minutes.
 */
export function verifyWebhook<Event extends { type: string } = WebhookEvent>(
  secret: string,
  body: string,
  headers: Record<string, string>,
): Event {
  return new Webhook(secret).verify(body, headers) as Event;
}
