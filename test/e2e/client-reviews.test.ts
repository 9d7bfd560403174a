/** A reviewed call through each client library, in each way of answering it: what a developer sees, and what becomes of the call. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { agentKey, type ChatGateway, humanKey, providerYaml, startChatGateway } from '../support/chat-clients.ts';
import { type FakeProvider, say, startFakeProvider } from '../support/fake-providers.ts';
import type { Loose } from '../support/loose.ts';
import { node } from '../support/mcp-servers.ts';
import { comment, votingWhile } from '../support/voter.ts';

const program = join(__dirname, '../support/clients/reviews.ts');
const programMs = 240_000;
let fake: FakeProvider;
beforeAll(async () => {
  fake = await startFakeProvider({ kind: 'openai', script: say('Lift-off.') });
});
afterAll(() => fake?.stop());

/** What every way of every library came to, by `<way>: <fate>`. */
async function outcomes(approvals: string, env: Record<string, string>): Promise<[string, Loose][]> {
  const gateway: ChatGateway = await startChatGateway(`
providers:
${providerYaml('fake', 'openai', fake.baseUrl, ', models: [gpt-client]')}
approvals: { ${approvals} }
policies:
  input: [{ name: ask-a-human, type: keyword, action: review, keywords: ["launch the rocket"] }]
cache: { enabled: false }
behavior: { enabled: false }
`);
  try {
    const known = { PATH: process.env.PATH, GATEWAY_URL: gateway.ready.gateway_url, GATEWAY_KEY: agentKey };
    const options = { env: { ...known, ...env }, timeout: programMs, maxBuffer: 64 * 1024 * 1024 };
    const { stdout } = await votingWhile(
      { adminUrl: gateway.ready.admin_url, key: humanKey },
      promisify(execFile)(node, [program], options),
    );
    return Object.entries(JSON.parse(stdout));
  } finally {
    await gateway.stop();
  }
}

const address = /\/admin\/v1\/approvals\/[0-9a-f-]{36}/;
const modes: readonly (readonly [string, string, Record<string, string>, number])[] = [
  [
    'status_202, streams',
    'chat_review: status_202',
    { WAYS: 'streamed', ASK_AGAIN: 'true', FATES: 'approve,deny,leave' },
    21,
  ],
  ['error_409', 'chat_review: error_409', { ASK_AGAIN: 'true', FATES: 'approve,deny,leave' }, 42],
  ['hold, decided in time', 'chat_review: hold, hold_seconds: 50', { FATES: 'approve,deny' }, 28],
  ['hold, not decided', 'chat_review: hold, hold_seconds: 1', { FATES: 'leave' }, 14],
];

/** All at once: the libraries spend most of the time on waiting before they try again. */
const runs = new Map<string, Promise<[string, Loose][]>>();
beforeAll(async () => {
  for (const [mode, approvals, env] of modes) runs.set(mode, outcomes(approvals, env));
  // None is left running when another fails; each is asked for below.
  await Promise.allSettled(runs.values());
});

describe.each(modes)('[clients.review] %s', (mode, _approvals, env, count) => {
  let all: [string, Loose][];
  beforeAll(async () => {
    all = await runs.get(mode)!;
  });

  test('every way was tried', () => {
    expect(all).toHaveLength(count);
    expect(all.filter(([, { first }]) => first === undefined)).toEqual([]);
  });

  test.each(env.FATES!.split(','))('of what a reviewer is to %s', (fate) => {
    for (const [name, { first, after }] of all.filter(([way]) => way.endsWith(`: ${fate}`)))
      switch (fate) {
        case 'leave': // an error of the library with address and id in its message
          expect([name, first.message]).toEqual([name, expect.stringMatching(address)]);
          break;
        case 'approve':
          expect([name, after]).toEqual([name, { text: 'Lift-off.' }]);
          break;
        default: // an error with the words of the reviewer
          expect([name, after.message]).toEqual([name, expect.stringContaining(`denied by alice: ${comment}`)]);
      }
  });
});
