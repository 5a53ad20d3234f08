// A client of ibid.
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

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
