/** kill -9 and stops in the middle of a stream: acknowledged data is not lost, and reservations are settled. */
import { type ChatGateway, providerYaml, startChatGateway } from '../support/chat-clients.ts';
import { type FakeProvider, piecesOf, say, startFakeProvider, stream } from '../support/fake-providers.ts';
import { ask, until, workFolder } from './client.ts';

let fake: FakeProvider;
const running: ChatGateway[] = [];

const start = async (state?: string): Promise<ChatGateway> => {
  const gateway = await startChatGateway(
    `
    rate_limit: { requests_per_minute: 1000 }
providers:
${providerYaml('fake', 'openai', fake.baseUrl, ', models: [m]')}
budgets: { tenants: { default: { monthly_usd: 10 } } }
cache: { enabled: false }
`,
    state === undefined ? {} : { state },
  );
  running.push(gateway);
  return gateway;
};

beforeAll(async () => {
  fake = await startFakeProvider({ kind: 'openai' });
});
afterAll(async () => {
  await fake?.stop();
  await Promise.all(running.map((gateway) => gateway.stop()));
});

const words = ['one ', 'two ', 'three ', 'four'];
/** Streams two words, and the rest on request. */
function hesitant() {
  const told = Promise.withResolvers<void>();
  const [opening, first, second, ...rest] = piecesOf('openai', { text: words });
  fake.answers(stream([opening!, first!, second!, told.promise, ...rest]));
  return told.resolve;
}

/** Starts a stream and waits for its first word. */
async function streaming(gateway: ChatGateway, session: string) {
  const client = gateway.openai({ defaultHeaders: { 'x-session-id': session } });
  const asked = {
    model: 'm',
    messages: [{ role: 'user' as const, content: 'count' }],
    max_tokens: 1000,
    stream: true as const,
  };
  const iterator = (await client.chat.completions.create(asked))[Symbol.asyncIterator]();
  let text = '';
  while (!text.includes('one')) text += (await iterator.next()).value?.choices[0]?.delta.content ?? '';
  const rest = async () => {
    for (let next = await iterator.next(); !next.done; next = await iterator.next())
      text += next.value.choices[0]?.delta.content ?? '';
    return text;
  };
  return { rest };
}

const budget = async (gateway: ChatGateway) => {
  const { body } = await gateway.admin<{
    statuses: { spent_usd: number; reserved_usd: number }[];
    open_reservations: number;
  }>('budgets');
  const { spent_usd, reserved_usd } = body.statuses[0]!;
  return { used: spent_usd + reserved_usd, open: body.open_reservations };
};

test('[chat.killed] after kill -9 during a stream, completed calls and the chain are intact, and the interrupted call is recorded', async () => {
  const gateway = await start();
  fake.answers(say('Hello'));
  const sessions = Array.from({ length: 8 }, (_, at) => `before-${at % 3}`);
  const answered = await Promise.all(sessions.map((session) => gateway.say('m', 'x', { session })));
  expect(answered.map(({ status }) => status)).toEqual(Array(8).fill(200));
  const before = await budget(gateway);

  hesitant();
  const { rest } = await streaming(gateway, 'before-0');
  await until('the call’s start', async () => (await gateway.open()) === 1 || undefined);
  await gateway.kill9();
  await expect(rest()).rejects.toThrow();
  await gateway.restart();

  const entries = (await Promise.all([...new Set(sessions)].map((session) => gateway.entries(session)))).flat();
  const isCut = ({ body }: { body: Record<string, unknown> }) => body.outcome === 'aborted';
  expect(
    entries
      .filter((entry) => !isCut(entry))
      .map((entry) => entry.envelope_id)
      .sort(),
  ).toEqual(answered.map(({ headers }) => headers.get('x-envelope-id')).sort());
  const cut = entries.filter(isCut);
  expect(cut).toHaveLength(1);
  expect(cut[0]).toMatchObject({
    kind: 'chat',
    session_id: 'before-0',
    actor: { key_id: entries[0]!.actor.key_id },
    body: {
      operation: 'chat.completions',
      decision: 'allow',
      model: 'm',
      resolved_model: 'm',
      stream: true,
      error: 'process_ended',
      cost_estimated: true,
      usage: { output_tokens: 1000 },
    },
  });
  for (const session of new Set(sessions)) {
    expect((await gateway.admin(`evidence/sessions/${session}/verify`)).body).toMatchObject({ valid: true });
  }
  expect((await gateway.admin('audit/verify')).body).toMatchObject({ valid: true });
  const after = await budget(gateway);
  // Charged once, with the reserved amount.
  expect(after.open).toBe(0);
  expect(after.used - before.used).toBeCloseTo((cut[0]!.body.cost_microusd as number) / 1e6, 6);
  expect(after.used).toBeGreaterThan(before.used);
  const listed = await until('the cut call in the list', async () => {
    const { body } = await gateway.admin<{ requests: { outcome: string; session_id: string }[] }>('requests?limit=50');
    return body.requests.find(({ outcome }) => outcome === 'aborted');
  });
  expect(listed).toMatchObject({ session_id: 'before-0' });

  fake.answers(say('back'));
  expect((await gateway.say('m', 'x', { session: 'before-0' })).status).toBe(200);
  expect((await gateway.admin('evidence/sessions/before-0/verify')).body).toMatchObject({ valid: true });
});

test('SIGTERM during two streams: the one that finishes in time completes; the other is interrupted, billed and recorded', async () => {
  const state = workFolder();
  const gateway = await start(state);
  const tell = hesitant();
  const ending = await streaming(gateway, 'ending');
  hesitant();
  const endless = await streaming(gateway, 'endless');
  const code = gateway.stop();
  await until('the end of listening', () =>
    ask(gateway.ready.gateway_url, 'GET', '/health').then(
      () => undefined,
      () => true,
    ),
  );
  tell();
  expect(await ending.rest()).toBe(words.join(''));
  await expect(endless.rest()).rejects.toThrow();
  expect(await code).toBe(0);

  const again = await start(state);
  expect(await again.records('ending')).toMatchObject([
    { outcome: 'completed', usage: { input_tokens: 11, output_tokens: 7 } },
  ]);
  expect(await again.records('endless')).toMatchObject([
    { outcome: 'aborted', usage: { output_tokens: 2, estimated: true } },
  ]);
  expect((await budget(again)).open).toBe(0);
});
