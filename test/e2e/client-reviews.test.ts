/**
 * A reviewed call through each client library, in each response mode: the developer's view, and the outcome of the
 * call.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ChatGateway, humanKey, providerYaml, startChatGateway } from '../support/chat-clients.ts';
import { type FakeProvider, say, startFakeProvider } from '../support/fake-providers.ts';
import type { Loose } from '../support/loose.ts';
import { node } from '../support/mcp-servers.ts';

/**
 * Comment left by a reviewer who handles pending requests based on the words in their prompts: approves them, denies
 * them with a comment, or leaves them pending.
 */
const comment = 'not on a Sunday';
const betweenLooksMs = 100;

interface Reviewer {
  readonly adminUrl: string;
  /** Key of a person who does not own the calling key. */
  readonly key: string;
  /** Tenant, if it differs from that of the key. */
  readonly tenant?: string;
}

/** Keeps voting until the work is done. */
async function votingWhile<A>(reviewer: Reviewer, work: Promise<A>): Promise<A> {
  let over = false;
  const voting = (async () => {
    while (!over) {
      await voteOnce(reviewer);
      await new Promise((resolve) => setTimeout(resolve, betweenLooksMs));
    }
  })();
  try {
    return await work;
  } finally {
    over = true;
    await voting;
  }
}

async function voteOnce({ adminUrl, key, tenant }: Reviewer): Promise<void> {
  const headers = { 'x-api-key': key, 'content-type': 'application/json', ...(tenant && { 'x-tenant-id': tenant }) };
  const approvals = `${adminUrl}/admin/v1/approvals`;
  const listed = await fetch(`${approvals}?limit=100`, { headers });
  const { pending } = (await listed.json()) as { pending: { envelope_id: string; parameters: object }[] };
  for (const { envelope_id, parameters } of pending) {
    const prompt = JSON.stringify(parameters);
    const verb = ['approve', 'deny'].find((word) => prompt.includes(`${word} this`));
    const body = JSON.stringify({ reviewer: 'alice', comment });
    if (verb) await fetch(`${approvals}/${envelope_id}/${verb}`, { method: 'POST', headers, body });
  }
}

const program = join(__dirname, 'clients/reviews.ts');
const programMs = 240_000;
let fake: FakeProvider;

const address = /\/admin\/v1\/approvals\/[0-9a-f-]{36}/;
/** Review modes, each with a tenant of its own. */
const modes = [
  { mode: 'status_202', ways: 'streamed', askAgain: true, fates: ['approve', 'deny', 'leave'], count: 18 },
  { mode: 'error_409', askAgain: true, fates: ['approve', 'deny', 'leave'], count: 36 },
  { mode: 'hold', holdSeconds: 50, fates: ['approve', 'deny'], count: 24 },
  { mode: 'hold', holdSeconds: 1, fates: ['leave'], count: 12 },
].map((each) => ({ ...each, name: each.holdSeconds ? `hold for ${each.holdSeconds} s` : each.mode }));
type Mode = (typeof modes)[number];

const gateways: ChatGateway[] = [];
/** Outcomes of every call style in every library, by `<name of the mode>: <way>: <fate>`. */
let outcomes: [string, Loose][];

/**
 * Starts a gateway whose tenants respond to reviews in these modes. A single setting determines how long a call is held
 * in all of them.
 */
const start = async (holdSeconds: number, of: readonly Mode[]) => {
  const gateway = await startChatGateway(`${of
    .map(
      ({ mode }) => `
  - id: ${mode}
    chat_review: ${mode}
    api_keys: [{ key: key-${mode}, role: operator, kind: agent, name: caller }]`,
    )
    .join('')}
providers:
${providerYaml('fake', 'openai', fake.baseUrl, ', models: [gpt-client]')}
approvals: { hold_seconds: ${holdSeconds} }
policies:
  input: [{ name: ask-a-human, type: keyword, action: review, keywords: ["launch the rocket"] }]
cache: { enabled: false }
behavior: { enabled: false }
`);
  gateways.push(gateway);
  const { gateway_url: url, admin_url: adminUrl } = gateway.ready;
  return { adminUrl, runs: of.map(({ mode, name, ...run }) => ({ ...run, mode: name, url, key: `key-${mode}` })) };
};

/** Runs all the programs concurrently, because the libraries spend most of the time waiting to retry. */
beforeAll(async () => {
  fake = await startFakeProvider({ kind: 'openai', script: say('Lift-off.') });
  const decided = modes.slice(0, 3);
  const [voted, left] = await Promise.all([start(50, decided), start(1, modes.slice(3))]);
  const env = { PATH: process.env.PATH, RUNS: JSON.stringify([...voted.runs, ...left.runs]) };
  let work = promisify(execFile)(node, [program], { env, timeout: programMs, maxBuffer: 64 * 1024 * 1024 });
  for (const { mode: tenant } of decided)
    work = votingWhile({ adminUrl: voted.adminUrl, key: humanKey, tenant }, work) as typeof work;
  const { stdout } = await work;
  outcomes = Object.entries(JSON.parse(stdout));
});
afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway.stop()));
  await fake?.stop();
});

describe.each(modes)('[chat.review] $name', ({ name, fates, count }) => {
  let all: [string, Loose][];
  beforeAll(() => {
    all = outcomes.filter(([way]) => way.startsWith(`${name}: `));
  });

  test('every call style was tried', () => {
    expect(all).toHaveLength(count);
    expect(all.filter(([, { first }]) => first === undefined)).toEqual([]);
  });

  test.each(fates)("calls get the right outcome if the reviewer's action is %s", (fate) => {
    for (const [way, { first, after }] of all.filter(([each]) => each.endsWith(`: ${fate}`)))
      switch (fate) {
        case 'leave': // an error of the library with address and id in its message
          expect([way, first.message]).toEqual([way, expect.stringMatching(address)]);
          break;
        case 'approve':
          expect([way, after]).toEqual([way, { text: 'Lift-off.' }]);
          break;
        default: // an error with the words of the reviewer
          expect([way, after.message]).toEqual([way, expect.stringContaining(`denied by alice: ${comment}`)]);
      }
  });
});
