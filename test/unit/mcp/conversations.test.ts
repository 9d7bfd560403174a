/** Which open conversations with servers are closed when there are too many. */
import type { McpUpstreamEntry } from '#core/contracts/config.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import type { McpSession } from '#core/mcp/ports.ts';
import { ask, type Conversation, Conversations } from '#core/mcp/sessions/conversations.ts';

const entry = { name: 'files' } as McpUpstreamEntry;

function setting() {
  const time = { ms: 0 };
  let connected = 0;
  const ports = {
    version: '1',
    clock: { now: () => time.ms },
    upstreams: { connect: async () => ({ continuation: {}, number: ++connected }), stop: async () => {} },
    mcpStore: { session: async () => undefined, putSession: async () => {} },
  };
  const conversations = new Conversations(ports as unknown as ConstructorParameters<typeof Conversations>[0]);
  /** Returns how many connections were opened by using a session's conversation. */
  const use = async (key_id: string, id: string): Promise<number> => {
    time.ms += 1;
    const before = connected;
    const session = { id, tenant: 't', key_id, upstreams: {}, handshake: {} } as unknown as McpSession;
    await conversations.ofSession(session, [entry]).link(entry);
    return connected - before;
  };
  return { use, time };
}

test('[mcp.sessions] a key with many sessions causes only its own conversations to be closed', async () => {
  const { use } = setting();
  expect(await use('quiet', 'q')).toBe(1);
  for (let n = 0; n < 2_010; n++) await use('loud', `s${n}`);
  expect(await use('quiet', 'q')).toBe(0);
  expect([await use('loud', 's2009'), await use('loud', 's0')]).toEqual([0, 1]);
});

test('a conversation unused for half an hour is reopened on its next use', async () => {
  const { use, time } = setting();
  await use('quiet', 'q');
  time.ms += 30 * 60_000;
  await use('loud', 's');
  expect(await use('quiet', 'q')).toBe(1);
});

test.each<[string, JsonObject, unknown[]]>([
  ['no token', {}, []],
  ['a text', { _meta: { progressToken: 'mine' } }, ['mine']],
  ['a number', { _meta: { progressToken: 7 } }, [7]],
])(
  '[mcp.forwarded-is-decided] a client receives only the progress that it requested; progress token: %s',
  async (_, params, heard) => {
    const said = ['mine', 7, '7', 'made-up', undefined].map((progressToken) => ({
      method: 'notifications/progress',
      params: { progressToken, progress: 1 },
    }));
    const log = { method: 'notifications/message', params: {} };
    const request = async (
      _method: string,
      _params: JsonObject,
      { onMessage }: { onMessage(message: object): void },
    ) => {
      for (const message of [...said, log]) onMessage(message);
      return { result: {} };
    };
    const link = async () => ({ era: 'session', request });
    const conversation = { era: 'session', link } as unknown as Conversation;
    const messages: JsonObject[] = [];
    const asking = {
      id: 1,
      signal: new AbortController().signal,
      onMessage: (message: JsonObject) => messages.push(message),
    };
    await ask(conversation, entry, 'tools/call', params, asking);
    const tokens = messages
      .filter(({ method }) => method !== log.method)
      .map((each) => (each.params as JsonObject).progressToken);
    expect([tokens, messages.at(-1)]).toEqual([heard, log]);
  },
);
