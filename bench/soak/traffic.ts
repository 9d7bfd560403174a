/** Callers for the soak. Each repeats one kind of call and records the calls that were acknowledged. */
import { keys } from './configuration.ts';
import type { SoakedGateway } from './gateway.ts';

/** Calls acknowledged in one round of traffic, which are then checked in evidence and at the service. */
export interface AcknowledgedCalls {
  /** Session → ids of the envelopes that got a response. */
  readonly envelopes: Map<string, Set<string>>;
  /** Session → number of chat calls that got a complete response. */
  readonly chats: Map<string, number>;
  /** Session → number of MCP calls whose result was returned. */
  readonly tools: Map<string, number>;
  /** Session → ids of the envelopes whose approval was acknowledged. */
  readonly approved: Map<string, Set<string>>;
  /** Paths of the service for which the caller got the result of its call. */
  readonly executed: Set<string>;
  calls: number;
  /** Number of calls that the kill interrupted. */
  cut: number;
}

const nothingYet = (): AcknowledgedCalls => ({
  envelopes: new Map(),
  chats: new Map(),
  tools: new Map(),
  approved: new Map(),
  executed: new Set(),
  calls: 0,
  cut: 0,
});

interface TrafficAnswer {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

export class Traffic {
  readonly #gateway: SoakedGateway;
  readonly #round: number;
  readonly #noted = nothingYet();
  #goesOn = true;
  #done: Promise<unknown> = Promise.resolve();

  constructor(gateway: SoakedGateway, round: number) {
    this.#gateway = gateway;
    this.#round = round;
  }

  start(): void {
    const callers = [
      ...Array.from({ length: 4 }, (_, n) => this.#repeat((i) => this.#now(`now-${n}`, i))),
      // Two callers share each of these sessions, so that they append to one chain.
      ...Array.from({ length: 4 }, (_, n) => this.#repeat(() => this.#chat(`chat-${n % 2}`, false))),
      ...Array.from({ length: 2 }, (_, n) => this.#repeat(() => this.#chat(`stream-${n}`, true))),
      ...Array.from({ length: 3 }, (_, n) => this.#repeat((i) => this.#approve(`later-${n}`, i))),
      ...Array.from({ length: 3 }, () => this.#repeat((i) => this.#tool('notes', i))),
    ];
    this.#done = Promise.all(callers);
  }

  /** Stops the callers and returns the acknowledged calls. */
  async end(): Promise<AcknowledgedCalls> {
    this.#goesOn = false;
    await this.#done;
    return this.#noted;
  }

  async #repeat(call: (n: number) => Promise<void>): Promise<void> {
    for (let n = 0; this.#goesOn; n++) {
      this.#noted.calls++;
      await call(n).catch(async (thrown: unknown) => {
        if (!(thrown instanceof TypeError)) throw thrown;
        this.#noted.cut++; // fetch failed: the gateway was killed
        await this.#gateway.ready;
      });
    }
  }

  #session = (name: string): string => `soak-${this.#round}-${name}`;

  #envelope(session: string, id: unknown, list = this.#noted.envelopes): void {
    list.set(session, (list.get(session) ?? new Set()).add(String(id)));
  }

  async #act(name: string, n: number, more: object = {}, folder = 'now'): Promise<Record<string, unknown>> {
    const session = this.#session(name);
    const target = `/${folder}/${session}/${n}`;
    const body = { protocol: 'http', tool: 'jobs.post', target, capability: 'write', actor: { session }, ...more };
    const { text } = await this.#post('admin', '/admin/v1/test-action', keys.agent, body);
    const answer = JSON.parse(text) as Record<string, unknown>;
    this.#envelope(session, answer.envelope_id);
    if (answer.result !== undefined) this.#noted.executed.add(target);
    return answer;
  }

  async #now(name: string, n: number): Promise<void> {
    const { decision, error } = await this.#act(name, n);
    if (decision !== 'allow') throw new Error(`an allowed call got the decision ${decision}: ${JSON.stringify(error)}`);
  }

  async #approve(name: string, n: number): Promise<void> {
    const { envelope_id, decision, error } = await this.#act(name, n, {}, 'later');
    if (decision !== 'review')
      throw new Error(`a call under review got the decision ${decision}: ${JSON.stringify(error)}`);
    const vote = { reviewer: 'alice', comment: 'soak' };
    await this.#post('admin', `/admin/v1/approvals/${envelope_id}/approve`, keys.human, vote);
    this.#envelope(this.#session(name), envelope_id, this.#noted.approved);
    // Two concurrent uses: one of them runs the call.
    const use = () => this.#act(name, n, { approval_ref: envelope_id }, 'later');
    await Promise.all([use(), use()]);
  }

  async #chat(name: string, stream: boolean): Promise<void> {
    const session = this.#session(name);
    const body = { model: 'bench', max_tokens: 64, stream, messages: [{ role: 'user', content: 'Summarise it.' }] };
    const { text } = await this.#post('gateway', '/v1/chat/completions', keys.agent, body, { 'x-session-id': session });
    if (!stream || text.includes('[DONE]')) countOne(this.#noted.chats, session);
  }

  async #tool(name: string, id: number): Promise<void> {
    const session = this.#session(name);
    const headers = { accept: 'application/json, text/event-stream', 'x-session-id': session };
    const params = { name: 'read_note', arguments: { title: 'minutes' } };
    const message = { jsonrpc: '2.0', id, method: 'tools/call', params };
    const { text } = await this.#post('mcp', '/mcp', keys.agent, message, headers);
    if (text.includes('"result"')) countOne(this.#noted.tools, session);
  }

  /** @throws TypeError if the gateway was killed; Error for a response that a healthy gateway does not send. */
  async #post(
    surface: 'gateway' | 'admin' | 'mcp',
    path: string,
    key: string,
    body: object,
    headers: Record<string, string> = {},
  ): Promise<TrafficAnswer> {
    const response = await fetch(`${this.#gateway.urls[surface]}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key, ...headers },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (response.status >= 400 && response.status !== 409)
      throw new Error(`${path} answered ${response.status}: ${text.slice(0, 300)}`);
    return { status: response.status, text, headers: response.headers };
  }
}

const countOne = (counts: Map<string, number>, session: string): void =>
  void counts.set(session, (counts.get(session) ?? 0) + 1);
