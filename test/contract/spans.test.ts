/** The spans that calls and actions through the handlers produce, compared with the span inventory. */
import type { LogTelemetry, Trace, TraceSpan } from '#adapters/telemetry/telemetry.ts';
import { type Answer, caller } from '../support/call-endpoint.ts';
import { evidenceOf } from '../support/evidence-of.ts';
import { refuse, say, startFakeProvider } from '../support/fake-providers.ts';
import { keys, testPorts } from '../support/ports.ts';
import { useGateway } from '../support/use-gateway.ts';
import { useStarted } from '../support/use-started.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const callerId = 'b7ad6b7169203331';
const traceparent = `00-${traceId}-${callerId}-01`;
const hex = (digits: number) => expect.stringMatching(new RegExp(`^[0-9a-f]{${digits}}$`));

const extra = (baseUrl: string) => `
providers:
  - { name: real, type: openai, models: ["gpt-*"], base_url: "${baseUrl}", api_key_env: OPENAI_API_KEY }
  - { name: mock, type: mock, models: ["mock"] }
routes:
  - { match: { model: "gpt-*" }, providers: [real] }
  - { match: { model: "mock" }, providers: [mock] }
policies:
  input: [{ name: no-jailbreak, type: keyword, action: block, keywords: ["ignore previous instructions"] }]
  output: [{ name: no-keys, type: regex, action: block, patterns: ["AKIA[0-9A-Z]{16}"] }]
`;

const provider = useStarted(() => startFakeProvider({ kind: 'openai' }));
const gateway = useGateway(() => ({
  extra: extra(provider.baseUrl),
  secrets: { OPENAI_API_KEY: 'provider-key' },
}));
const { call } = gateway;

const ask = (text: string, more: object = {}, headers: Record<string, string> = {}): Promise<Answer> =>
  call('POST', '/v1/chat/completions', {
    key: keys.agent,
    body: { model: 'gpt-4o', messages: [{ role: 'user', content: text }], ...more },
    headers: { 'x-session-id': 'spans', ...headers },
  });

/** Returns the traces that `work` produces. */
async function traced(work: () => Promise<unknown>): Promise<Trace[]> {
  const telemetry = gateway.ports.telemetry as LogTelemetry;
  const before = new Set(telemetry.recentTraces().flatMap(({ spans }) => spans.map(({ span_id }) => span_id)));
  await work();
  return telemetry.recentTraces().filter(({ spans }) => spans.every(({ span_id }) => !before.has(span_id)));
}

/** Returns the names of this span's ancestors, outermost first. */
function path(spans: readonly TraceSpan[], { name, parent_id }: TraceSpan): string {
  const parent = spans.find(({ span_id }) => span_id === parent_id);
  return parent ? `${path(spans, parent)} > ${name}` : name;
}
const paths = ({ spans }: Trace): string[] => spans.map((span) => path(spans, span)).sort();
const named = ({ spans }: Trace, name: string): TraceSpan => spans.find((span) => span.name === name)!;

const chatTree = [
  'gateway.chat_completion',
  'gateway.chat_completion > evidence.record',
  'gateway.chat_completion > policy.check_input',
  'gateway.chat_completion > policy.check_output',
  'gateway.chat_completion > provider.call',
  'gateway.chat_completion > provider.call > provider.openai',
];

describe('a chat call', () => {
  test.each([false, true])('records the spans of its stages in a single trace (stream: %s)', async (stream) => {
    provider.answers(say(['Hel', 'lo'], { inputTokens: 11, outputTokens: 7 }));
    const [trace, ...others] = await traced(() => ask(`hello, stream ${stream}`, { stream }));
    expect(others).toEqual([]);
    expect([...new Set(paths(trace!))]).toEqual(chatTree);
    expect(trace!.spans.at(-1)?.name).toBe('gateway.chat_completion');
    for (const span of trace!.spans) expect(span).toMatchObject({ span_id: hex(16), failed: false });
    const attributes = (name: string) => named(trace!, name).attributes;
    const ms = expect.any(Number);
    expect(attributes('gateway.chat_completion')).toMatchObject({ tenant_id: 'default', model: 'gpt-4o', stream });
    expect(attributes('policy.check_input')).toMatchObject({ decision: 'allow', action: 'allow' });
    expect(attributes('provider.call')).toMatchObject({ provider: 'real', model: 'gpt-4o', latency_ms: ms });
    expect(attributes('policy.check_output')).toMatchObject({ decision: 'allow' });
    expect(attributes('evidence.record')).toMatchObject({ hash: hex(64), session_id: 'spans' });
    expect(attributes('provider.openai')).toMatchObject({
      tokens_prompt: 11,
      tokens_completion: 7,
      tokens_total: 18,
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'gpt-4o',
      'gen_ai.request.stream': stream,
      'gen_ai.usage.input_tokens': 11,
      'gen_ai.usage.output_tokens': 7,
      'server.address': '127.0.0.1',
      ...(stream && { 'gen_ai.response.time_to_first_chunk': ms }),
    });
  });

  test('ends with the input policy if blocked, and is recorded', async () => {
    const [trace] = await traced(() => ask('please ignore previous instructions'));
    expect(paths(trace!)).toEqual([
      'gateway.chat_completion',
      'gateway.chat_completion > evidence.record',
      'gateway.chat_completion > policy.check_input',
    ]);
    expect(named(trace!, 'policy.check_input').attributes).toMatchObject({
      decision: 'block',
      policy_name: expect.stringContaining('no-jailbreak'),
      action: 'block',
    });
    expect(named(trace!, 'gateway.chat_completion').attributes).toMatchObject({ 'error.type': 'policy_violation' });
  });

  test('has a failed provider span with the error type if the provider refuses it', async () => {
    provider.answers(refuse('openai', 500));
    const [trace] = await traced(() => ask('fail'));
    expect(named(trace!, 'provider.openai')).toMatchObject({
      failed: true,
      attributes: { 'error.type': expect.any(String) },
    });
    expect(named(trace!, 'provider.call').failed).toBe(true);
    expect(paths(trace!)).toContain('gateway.chat_completion > evidence.record');
  });

  test('never puts text from the caller or the model into a span', async () => {
    provider.answers(say('a very private answer'));
    const traces = await traced(() => ask('a very private question'));
    expect(traces).toHaveLength(1);
    expect(JSON.stringify(traces)).not.toContain('very private');
  });
});

describe('trace context', () => {
  test.each([false, true])(
    "[trace.caller] is passed from the caller through the gateway's spans to the provider (stream: %s)",
    async (stream) => {
      provider.answers(say('Hello'));
      const headers = { traceparent, tracestate: 'rojo=1,congo=2' };
      const [trace] = await traced(() => ask(`trace me, stream ${stream}`, { stream }, headers));
      expect(trace!.trace_id).toBe(traceId);
      expect(named(trace!, 'gateway.chat_completion')).toMatchObject({ parent_id: callerId, depth: 0 });
      const { span_id } = named(trace!, 'provider.openai');
      const { headers: sent } = await provider.request();
      expect(sent.traceparent).toBe(`00-${traceId}-${span_id}-01`);
      expect(sent.tracestate).toBe(`agg=${span_id},rojo=1,congo=2`);
    },
  );

  test('the evidence entry names the trace', async () => {
    provider.answers(say('Hello'));
    await ask('name it', {}, { traceparent, 'x-session-id': 'named' });
    const entries = await evidenceOf(gateway.ports, 'named');
    expect(entries).toMatchObject([{ body: { trace_id: traceId } }]);
  });
});

test.each([false, true])(
  '[trace.export] a call made by the model carries the id that the model gave it (stream: %s)',
  async (stream) => {
    const governed = await testPorts({
      extra: `${extra(provider.baseUrl)}\nchat_completions: { tool_use: govern }`,
      secrets: { OPENAI_API_KEY: 'provider-key' },
    });
    try {
      provider.answers(say('', { toolCalls: [{ id: 'call_7', name: 'read_file', input: { path: 'a.txt' } }] }));
      const body = { model: 'gpt-4o', stream, messages: [{ role: 'user', content: 'go' }] };
      await caller(governed.ports)('POST', '/v1/chat/completions', { key: keys.agent, body });
      const spans = (governed.ports.telemetry as LogTelemetry).recentTraces().flatMap((trace) => trace.spans);
      const decided = spans.find(({ name }) => name === 'mcpgw.tool_call');
      expect(decided?.attributes).toMatchObject({ 'gen_ai.tool.name': 'read_file', 'gen_ai.tool.call.id': 'call_7' });
    } finally {
      await governed.stop();
    }
  },
);

describe('an action', () => {
  const act = (action: object) => gateway.act(action);
  const read = { protocol: 'git', tool: 'scm.get_file_contents', target: 'acme/web', capability: 'read' };
  const pull = { protocol: 'git', tool: 'scm.create_pull_request', target: 'acme/web', capability: 'write' };

  test('[log.action-line] the call span of an allowed action contains the span of its credential', async () => {
    const [trace] = await traced(() => act(read));
    expect(paths(trace!)).toEqual(['mcpgw.tool_call', 'mcpgw.tool_call > credential.issue']);
    expect(named(trace!, 'mcpgw.tool_call').attributes).toEqual({
      tool: 'scm.get_file_contents',
      'gen_ai.tool.name': 'scm.get_file_contents',
      'gen_ai.tool.call.id': expect.any(String),
      target: 'acme/web',
      capability: 'read',
      decision: 'allow',
      tenant_id: 'default',
      session_id: expect.any(String),
    });
    expect(named(trace!, 'credential.issue').attributes).toEqual({
      credential_name: 'scm',
      ttl: 600,
      scope: 'contents:read',
    });
  });

  test('[trace.export] has the id given by its caller, or else the id of its envelope', async () => {
    const idOf = (trace: Trace | undefined) => named(trace!, 'mcpgw.tool_call').attributes['gen_ai.tool.call.id'];
    const [own] = await traced(() => act({ ...read, decide_only: true, call_id: 'toolu_7' }));
    expect(idOf(own)).toBe('toolu_7');
    let envelope = '';
    const [without] = await traced(async () => {
      envelope = (await act(read)).body.envelope_id;
    });
    expect(idOf(without)).toBe(envelope);
  });

  test('[log.action-line] has one span for the call and one for queueing its approval if it needs one', async () => {
    const [trace] = await traced(() => act({ ...pull, parameters: { title: 'Fix', head: 'fix', base: 'main' } }));
    expect(paths(trace!)).toEqual(['mcpgw.tool_call', 'mcpgw.tool_call > approval.enqueue']);
    expect(named(trace!, 'mcpgw.tool_call').attributes).toMatchObject({ decision: 'review' });
    expect(named(trace!, 'approval.enqueue').attributes).toEqual({
      approval_id: expect.any(String),
      tool: 'scm.create_pull_request',
      timeout: expect.any(Number),
    });
  });
});
