/**
 * Chat calls that fail because of the store, the cache, the provider or the gateway process, and calls that get
 * malformed replies.
 */
import { GatewayError } from '#core/kernel/errors.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { Turns } from '#core/kernel/turns.ts';
import type { ReserveRequest } from '#core/limits/ports.ts';
import { type Provider, type ProviderCall, ProviderFault, type ProviderReply } from '#core/models/providers/ports.ts';
import { sweepReservations } from '#lambdas/sweep/event.ts';
import { caller } from '../support/call-endpoint.ts';
import { chatRecordsOf, evidenceOf } from '../support/evidence-of.ts';
import { jsonReply, startFakeProvider, stream } from '../support/fake-providers.ts';
import type { Loose } from '../support/loose.ts';
import { keys } from '../support/ports.ts';
import { toolPolicies } from '../support/scripted-tools.ts';
import { useGateway } from '../support/use-gateway.ts';
import { useStarted } from '../support/use-started.ts';
import { woundTimeouts } from '../support/wound-timeouts.ts';

/** Chat calls that fail because of the store, cache or provider: response, evidence and charge. */
describe('the store, cache or provider', () => {
  const extra = `
providers: [{ name: first, type: openai, base_url: "http://127.0.0.1:1", api_key_env: FIRST_KEY, models: [m] }]
budgets: { tenants: { default: { monthly_usd: 100 }, elsewhere: { monthly_usd: 0 } } }
cache: { enabled: true }
`;
  const usage = { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 };
  const message = { role: 'assistant', content: 'Hi.' };
  const choices = [{ index: 0, message, finish_reason: 'stop' }];
  const completion: JsonObject = { id: 'c', object: 'chat.completion', model: 'm', usage, choices };
  const chunk = (content: string, finish_reason: string | null = null): JsonObject => ({
    id: 'c',
    object: 'chat.completion.chunk',
    model: 'm',
    choices: [{ index: 0, delta: { content }, finish_reason }],
  });

  let answer: (call: ProviderCall) => Promise<ProviderReply>;
  const gateway = useGateway({ extra });
  beforeEach(() => {
    answer = async () => ({ type: 'json', body: completion });
  });

  const called = { call: (call: ProviderCall) => answer(call) };
  const provider = { name: 'first', type: 'openai', dialect: 'openai', ...called } as unknown as Provider;
  let asked = 0;
  const ask = (session: string, over: Loose = {}, more: object = {}, key = keys.agent) =>
    caller({ ...gateway.ports, providers: { get: async () => provider }, ...over })('POST', '/v1/chat/completions', {
      key,
      headers: { 'x-session-id': session },
      body: { model: 'm', max_tokens: 10, messages: [{ role: 'user', content: `question ${++asked}` }], ...more },
    });
  const recordsOf = (session: string, tenant = 'default') => chatRecordsOf(gateway.ports, session, tenant);
  const open = async () => (await gateway.ports.counters.status('default', { budgets: [] })).open;
  const failing = (text: string) => () => Promise.reject(new Error(text));
  const streaming =
    (events: (signal: AbortSignal) => AsyncGenerator<JsonObject>) =>
    async ({ signal }: ProviderCall): Promise<ProviderReply> => ({ type: 'stream', events: events(signal) });

  test('[limit.none] if recording the start fails, the call still continues', async () => {
    const counters = { ...gateway.ports.counters, begin: failing('busy') };
    expect((await ask('begin', { counters })).body).toMatchObject(completion);
    expect(gateway.lines.join('\n')).toContain('the start of a provider call was not noted');
  });

  test('[limit.shards] a failed settlement is left until its lease ends', async () => {
    const before = await open();
    const counters = { ...gateway.ports.counters, settle: failing('busy') };
    expect((await ask('settle', { counters })).body).toMatchObject(completion);
    expect(gateway.lines.join('\n')).toContain('a reservation waits for its lease to end');
    expect(await open()).toBe(before + 1);
  });

  test('[chat.completions] an unexpected error is recorded, and no reservation remains', async () => {
    const before = await open();
    const cache = { ...gateway.ports.cache, takeEvictions: () => 0, lookup: failing('a bug') };
    const { status, body } = await ask('bug', { cache });
    expect([status, body.error.type]).toEqual([500, 'server_error']);
    expect(await recordsOf('bug')).toMatchObject([
      { outcome: 'failed', status: 500, error: 'server_error', usage: { input_tokens: 0, output_tokens: 0 } },
    ]);
    expect(await open()).toBe(before);
  });

  test('[evidence.chat] a response that cannot be recorded is not returned; a stream ends with an error', async () => {
    const ledger = { ...gateway.ports.ledger, commit: failing('no store') };
    const whole = await ask('unrecorded', { ledger });
    expect([whole.status, whole.text.includes('Hi.')]).toEqual([500, false]);
    answer = streaming(async function* () {
      yield chunk('Hi.');
      yield chunk('', 'stop');
    });
    const { text } = await ask('unrecorded', { ledger }, { stream: true });
    expect(text.trimEnd().split('\n\n').at(-1)).toContain('"error"');
  });

  test('[limit.budget] the first budget refusal in each minute is recorded', async () => {
    const { status } = await ask('refused', {}, {}, 'elsewhere-key');
    await ask('refused', {}, {}, 'elsewhere-key');
    expect(status).toBe(429);
    expect(await recordsOf('refused', 'elsewhere')).toHaveLength(1);
    gateway.pass(61);
    await ask('refused', {}, {}, 'elsewhere-key');
    expect(await recordsOf('refused', 'elsewhere')).toHaveLength(2);
  });

  test.each([false, true])('[limit.shards] a silent provider does not end the lease, stream: %s', async (stream) => {
    const extended: string[] = [];
    const timeouts = woundTimeouts();
    const counters = { ...gateway.ports.counters, extend: async (_: string, id: string) => void extended.push(id) };
    answer = async (call) => {
      timeouts.pass(20_000);
      const said = streaming(async function* () {
        yield chunk('one', 'stop');
      });
      return stream ? said(call) : { type: 'json', body: completion };
    };
    const { headers, status } = await ask(`silent-${stream}`, { timeouts, counters }, { stream });
    expect([status, extended]).toEqual([200, [headers['x-envelope-id']]]);
    timeouts.pass(20_000);
    expect(extended).toHaveLength(1);
  });

  describe('a stream', () => {
    const events = (text: string) => text.trimEnd().split('\n\n');

    test('[chat.provider-error] begins while its provider is silent; a later failure is sent as its last event', async () => {
      const timeouts = woundTimeouts();
      const chunks = async function* () {
        yield chunk('late', 'stop');
      };
      const busy = new ProviderFault('first', 'status', 'busy', { status: 429 });
      const silent = Promise.withResolvers<ProviderReply>();
      answer = () => silent.promise;
      const begun = ask('quiet', { timeouts }, { stream: true, messages: [{ role: 'user', content: 'q' }] });
      await timeouts.armed(15_000);
      timeouts.pass(15_000);
      silent.resolve({ type: 'stream', events: chunks() });
      expect(await begun).toMatchObject({ status: 200, text: expect.stringContaining('late') });

      answer = async () => {
        timeouts.pass(15_000);
        throw busy;
      };
      const failed = await ask('quiet', { timeouts }, { stream: true });
      expect([failed.status, events(failed.text).at(-1)]).toEqual([200, expect.stringContaining('rate_limit_error')]);
      expect(await recordsOf('quiet')).toMatchObject([{ outcome: 'completed' }, { outcome: 'failed', status: 200 }]);

      answer = () => Promise.reject(busy);
      expect((await ask('quiet', { timeouts }, { stream: true })).status).toBe(429);
      answer = async () => {
        timeouts.pass(15_000);
        throw busy;
      };
      expect((await ask('quiet', { timeouts })).status).toBe(429);
    });

    test('[chat.streams-cut] an endless stream is cut off like a broken one', async () => {
      answer = streaming(async function* () {
        for (;;) yield chunk('x'.repeat(64 * 1024));
      });
      expect(events((await ask('endless', {}, { stream: true })).text).at(-1)).toContain('provider_error');
      expect(await recordsOf('endless')).toMatchObject([{ outcome: 'failed', error: 'provider_error' }]);
    });

    test('[limit.shards] [auth.revoked-key] keeps its reservation, and ends when its key is revoked', async () => {
      const extended: string[] = [];
      const timeouts = woundTimeouts();
      const counters = { ...gateway.ports.counters, extend: async (_: string, id: string) => void extended.push(id) };
      let revoked = false;
      const current = async () => {
        const snapshot = await gateway.ports.snapshots.current();
        return revoked ? { ...snapshot, identities: { ...snapshot.identities, byKeyId: new Map() } } : snapshot;
      };
      const pass = async (ms: number) => {
        timeouts.pass(ms);
        await new Promise(setImmediate);
      };
      answer = streaming(async function* (signal) {
        yield chunk('one');
        await pass(20_000);
        await pass(4_000);
        yield chunk('two');
        revoked = true;
        await pass(4_000);
        signal.throwIfAborted();
        yield chunk('three', 'stop');
      });
      const snapshots = { ...gateway.ports.snapshots, current };
      const { text, headers } = await ask('revoked', { timeouts, counters, snapshots }, { stream: true });
      expect(extended).toEqual([headers['x-envelope-id']]);
      expect(events(text).at(-1)).toContain('The key was revoked');
      expect(text).toContain('two');
      expect(text).not.toContain('three');
      expect(await recordsOf('revoked')).toMatchObject([{ outcome: 'refused', error: 'authentication_error' }]);
    });
  });
});

/** A provider with arbitrary replies cannot smuggle an unevaluated tool call past the gateway. */
describe('arbitrary replies', () => {
  const provider = useStarted(() => startFakeProvider({ kind: 'openai' }));
  const host = useGateway(() => ({
    toolPolicies,
    secrets: { PROVIDER_KEY: 'provider-key-value-1' },
    extra: `
providers: [{ name: fake, type: openai, base_url: "${provider.baseUrl}", api_key_env: PROVIDER_KEY, models: ["gpt-*"] }]
chat_completions: { tool_use: govern }
`,
  }));

  const tools = ['read_file', 'delete_all'].map((name) => ({
    type: 'function',
    function: { name, parameters: { type: 'object' } },
  }));
  const ask = (stream: boolean) =>
    caller(host.ports)('POST', '/v1/chat/completions', {
      key: keys.agent,
      body: { model: 'gpt-4o', stream, messages: [{ role: 'user', content: 'go' }], tools },
    });

  const deleting = { name: 'delete_all', arguments: '{}' };
  const reading = { name: 'read_file', arguments: '{"path":"a.txt"}' };
  const call = (more: object) => ({ id: 'c1', type: 'function', ...more });
  const whole = (message: object, choice: object = {}) =>
    jsonReply({
      id: 'c',
      object: 'chat.completion',
      created: 0,
      model: 'gpt-4o',
      choices: [
        { index: 0, message: { role: 'assistant', content: 'Done.', ...message }, finish_reason: 'stop', ...choice },
      ],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    });

  test.each<readonly [string, object, object]>([
    ['a message under another name', { Tool_Calls: [call({ function: deleting })] }, {}],
    ['a message in the form of another dialect', { tool_use: [call({ function: deleting })] }, {}],
    [
      'a part of the content',
      {
        content: [
          { type: 'text', text: 'Done.' },
          { type: 'tool_use', name: 'delete_all', input: {} },
        ],
      },
      {},
    ],
    ['the choice', {}, { tool_calls: [call({ function: deleting })] }],
    ['a delta beside the message', {}, { delta: { tool_calls: [call({ function: deleting })] } }],
    ['a list in the list', { tool_calls: [[call({ function: deleting })]] }, {}],
  ])('[chat.tool-use] a call in %s does not reach the caller', async (_, message, choice) => {
    provider.answers(whole(message, choice));
    const { status, text } = await ask(false);
    expect([status, text]).toEqual([200, expect.stringContaining('Done.')]);
    expect(text).not.toContain('delete_all');
  });

  test.each([
    [
      'a second form beside the one that is decided',
      call({ function: deleting, custom: { name: 'read_file', input: 'a' } }),
    ],
    ['members beside the form', call({ ...deleting, function: reading })],
  ])('[chat.tool-use] %s: not passed on to the caller', async (_, one) => {
    provider.answers(whole({ tool_calls: [one] }));
    expect((await ask(false)).text).not.toContain('delete_all');
  });

  test('[chat.tool-use] a call in the older form is evaluated like any other', async () => {
    provider.answers(whole({ function_call: deleting }, { finish_reason: 'function_call' }));
    const { text } = await ask(false);
    expect(text).toContain('[delete_all was blocked');
    expect(text).not.toContain('_call"');
    provider.answers(whole({ function_call: reading }, { finish_reason: 'function_call' }));
    const [choice] = JSON.parse((await ask(false)).text).choices;
    expect(choice).toMatchObject({ message: { tool_calls: [{ function: reading }] }, finish_reason: 'tool_calls' });
  });

  test('[chat.tool-use] arguments given as an object are evaluated, and reach the caller as the original text', async () => {
    provider.answers(whole({ tool_calls: [call({ function: { name: 'read_file', arguments: { path: 'a.txt' } } })] }));
    const { body } = await ask(false);
    expect(body.choices[0].message.tool_calls).toEqual([call({ function: reading })]);
    provider.answers(whole({ tool_calls: [call({ function: { name: 'read_file', arguments: { path: '.env' } } })] }));
    const entries: Loose[] = [];
    await ask(false);
    for await (const head of host.ports.evidence.entries('default', (await newest()).session_id)) entries.push(head);
    expect(entries.some(({ body: said }) => JSON.stringify(said).includes('.env'))).toBe(true);
  });

  const newest = async () => (await host.ports.evidence.sessions('default', { limit: 1 })).items[0]!;

  const chunk = (choice: object) =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 0, model: 'm', choices: [{ index: 0, ...choice }] })}\n\n`;

  test.each([
    [
      'a message beside the delta',
      { delta: { content: 'x' }, message: { tool_calls: [call({ function: deleting })] } },
    ],
    ['the choice', { delta: { content: 'x' }, tool_calls: [call({ function: deleting })] }],
    ['the delta under another name', { delta: { content: 'x', calls: [call({ function: deleting })] } }],
  ])('[chat.tool-use] a call in %s within a stream does not reach the caller', async (_, choice) => {
    provider.answers(
      stream([
        chunk({ ...choice, finish_reason: null }),
        chunk({ delta: {}, finish_reason: 'stop' }),
        'data: [DONE]\n\n',
      ]),
    );
    const { status, text } = await ask(true);
    expect([status, text]).toEqual([200, expect.stringContaining('"content":"x"')]);
    expect(text).not.toContain('delete_all');
  });

  test('[chat.tool-use] members that are not calls are kept: log probabilities, reasoning, annotations, vendor strings', async () => {
    const kept = { reasoning: 'Thinking.', annotations: [{ type: 'url_citation', url: 'https://a.example' }] };
    provider.answers(whole(kept, { logprobs: { content: [] }, native_finish_reason: 'stop' }));
    const { body } = await ask(false);
    expect(body.choices[0]).toMatchObject({ message: kept, logprobs: { content: [] }, native_finish_reason: 'stop' });
  });
});

/** A call whose process ended during the provider request. The sweep writes its entry once and charges it once. */
describe('a process that died', () => {
  const gateway = useGateway({ extra: 'budgets: { tenants: { default: { monthly_usd: 100 } } }' }, 'test');

  const budgets = [
    { account: 'tenant', scope: 'tenant', period: 'month', limit_microusd: 100_000_000 },
  ] as const satisfies ReserveRequest['limits']['budgets'];
  const request: ReserveRequest = {
    tenant: 'default',
    id: 'cut',
    session_id: 's',
    tokens: 1_040,
    cost_microusd: 700,
    limits: { budgets },
    call: {
      key_id: 'k',
      agent: 'writer',
      operation: 'messages',
      model: 'fast',
      resolved_model: 'claude',
      stream: true,
      transport: 'http',
      input_tokens: 40,
      policy_version: 3,
      request_id: 'r-1',
    },
  };
  const entries = () => evidenceOf(gateway.ports, 's');
  const sweep = () => sweepReservations(gateway.ports, new Turns());
  const status = () => gateway.ports.counters.status('default', { budgets });

  test('[chat.killed] any number of sweeps leave a single entry with the known facts', async () => {
    const { counters } = gateway.ports;
    await counters.reserve(request);
    await counters.begin('default', 'cut');
    await sweep();
    expect(await entries()).toEqual([]);
    gateway.pass(61);
    await Promise.all([sweep(), sweep(), sweep()]);
    await sweep();
    const [entry, ...others] = await entries();
    expect(others).toEqual([]);
    expect(entry).toMatchObject({
      kind: 'chat',
      envelope_id: 'cut',
      actor: { key_id: 'k', agent: 'writer' },
      body: {
        operation: 'messages',
        decision: 'allow',
        outcome: 'aborted',
        status: 499,
        error: 'process_ended',
        model: 'fast',
        resolved_model: 'claude',
        stream: true,
        transport: 'http',
        policy_version: 3,
        usage: { input_tokens: 40, output_tokens: 1_000 },
        cost_microusd: 700,
        request_id: 'r-1',
        latency_ms: 0,
      },
    });
    expect(await status()).toMatchObject({ open: 0, spend: { [Object.keys((await status()).spend)[0]!]: 700 } });
  });

  test("[chat.killed] the entry leaves the session to its agent's key, and another key keeps its own session", async () => {
    const { counters, ledger, evidence } = gateway.ports;
    const call = { ...request.call!, owns_session: true as const };
    await counters.reserve({ ...request, call, begun: true });
    await counters.reserve({ ...request, call, id: 'human', session_id: 'h', begun: true });
    const draft = {
      tenant: 'default',
      session_id: 'h',
      timestamp: '2026-01-01T00:00:00Z',
      kind: 'chat',
      envelope_id: 'e',
    };
    await ledger.commit({ draft: { ...draft, actor: { key_id: 'other' }, body: {} } as never, owner: 'other' });
    gateway.pass(61);
    await sweep();
    expect(await evidence.head('default', 's')).toMatchObject({ owner_key: 'k', total_entries: 1 });
    expect(await evidence.head('default', 'h')).toMatchObject({ owner_key: 'other', total_entries: 2 });
    expect((await status()).open).toBe(0);
  });

  test('[chat.killed] [tenants.rows] a call from a tenant that is stored as a row is swept too', async () => {
    const { counters, configStore, ledger } = gateway.ports;
    const row = { id: 'acme', revision: 1, changed_at: '2026-01-01T00:00:00Z', changed_by: 'test' };
    const settings = { allowed_models: ['*'], system_prompt: '' };
    const draft = { tenant: 'default', session_id: 'a', timestamp: row.changed_at, kind: 'admin', envelope_id: 'e' };
    const change = { type: 'tenant.put', row: { ...row, settings } } as const;
    await ledger.commit({ draft: { ...draft, actor: { key_id: 'k' }, body: {} } as never, changes: [change] });
    expect(await configStore.tenantRowIds(undefined, 5)).toEqual(['acme']);
    await counters.reserve({ ...request, tenant: 'acme', begun: true });
    gateway.pass(61);
    expect(await sweep()).toBe(1);
    expect(await evidenceOf(gateway.ports, 's', 'acme')).toHaveLength(1);
  });

  test('[chat.killed] if a sweep dies between the entry and the charge, the next sweep charges the call from the entry', async () => {
    const { counters } = gateway.ports;
    await counters.reserve({ ...request, begun: true });
    gateway.pass(61);
    const dies = { ...counters, settle: () => Promise.reject(new Error('killed')) };
    await sweepReservations({ ...gateway.ports, counters: dies }, new Turns());
    expect([(await entries()).length, (await status()).open]).toEqual([1, 1]);
    await sweep();
    expect([(await entries()).length, (await status()).open]).toEqual([1, 0]);
    expect(Object.values((await status()).spend)).toEqual([700]);
  });

  test('[chat.killed] a call keeps its reservation until its entry is written, so that the sweep records and charges it', async () => {
    const ask = () => {
      const body = { model: 'mock', messages: [{ role: 'user', content: `call ${asked++}` }] };
      return gateway.call('POST', '/v1/chat/completions', { key: keys.agent, headers: { 'x-session-id': 's' }, body });
    };
    let asked = 0;
    const commit = jest.spyOn(gateway.ports.ledger, 'commit');
    commit.mockRejectedValueOnce(new GatewayError('service_unavailable', 'The store is down.'));
    expect((await ask()).status).toBe(503);
    expect([(await entries()).length, (await status()).open]).toEqual([0, 1]);
    gateway.pass(61);
    expect(await sweep()).toBe(1);
    expect(await entries()).toMatchObject([{ body: { outcome: 'aborted' } }]);
    expect((await status()).open).toBe(0);

    // A call that is recorded is settled when its answer has ended.
    expect((await ask()).status).toBe(200);
    expect([(await entries()).length, (await status()).open]).toEqual([2, 0]);
    const costs = (await entries()).map(({ body }) => Number(body.cost_microusd));
    expect(Object.values((await status()).spend)).toEqual([costs[0]! + costs[1]!]);
  });

  test('[chat.killed] a call that had not begun, or whose reservation lacks its details, leaves no entry', async () => {
    const { counters } = gateway.ports;
    await counters.reserve(request);
    const { call: _, ...unnamed } = request;
    await counters.reserve({ ...unnamed, id: 'former', begun: true });
    gateway.pass(61);
    await sweep();
    expect(await entries()).toEqual([]);
    expect((await status()).open).toBe(0);
  });

  test('[chat.killed] when a gateway starts, every open reservation comes from a dead process', async () => {
    await gateway.ports.counters.reserve({ ...request, begun: true });
    expect(await sweepReservations(gateway.ports, new Turns(), Number.MAX_SAFE_INTEGER)).toBe(1);
    expect(await entries()).toHaveLength(1);
  });

  test.each([
    ['a tenant without limits', {}],
    ['a tenant with a rate limit', { requests_per_minute: 100_000 }],
  ])(
    '[chat.killed] a stream for %s has a reservation in the store; a non-streamed response does not need one',
    async (_, rates) => {
      const { counters } = gateway.ports;
      const free = { ...request, cost_microusd: 0, limits: { ...rates, budgets: [] }, begun: true };
      const whole = { ...request.call!, stream: false };
      for (let i = 0; i < 30; i++) await counters.reserve({ ...free, id: `whole-${i}`, call: whole });
      const before = (await counters.expired('default', Number.MAX_SAFE_INTEGER)).map(({ id }) => id);
      await counters.reserve({ ...free, id: 'stream' });
      const opened = (await counters.expired('default', Number.MAX_SAFE_INTEGER)).map(({ id }) => id);
      expect(opened.filter((id) => !before.includes(id))).toEqual(['stream']);
      gateway.pass(61);
      await sweep();
      expect((await entries()).map(({ envelope_id }) => envelope_id)).toContain('stream');
    },
  );
});
