/** Chat over the deployed WebSocket. One function receives the message; another responds through `@connections`. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { type Check, check } from '../support/checks.ts';
import type { Loose } from '../support/loose.ts';
import type { Call, Keys } from './caller.ts';
import { expectStatus } from './caller.ts';
import { longReply, reply } from './configuration.ts';
import type { Outputs } from './deployment.ts';
import type { Emulator } from './emulator.ts';
import { until } from './processes.ts';

const session = 'cloud-socket';

interface Message {
  readonly type: string;
  readonly id?: string;
  readonly status?: number;
  readonly [field: string]: Loose;
}

interface Talk {
  readonly heard: readonly Message[];
  say(message: object): void;
  /** Waits for the first message of a type, with the request id if one is given. */
  hear(type: string, id?: string): Promise<Message>;
  readonly closed: () => boolean;
  close(): Promise<void>;
}

export function webSocketChecks(emulator: Emulator, { GatewayServices }: Outputs, keys: Keys, admin: Call): Check[] {
  const url = `${emulator.endpoint.replace('http', 'ws')}/_aws/execute-api/${GatewayServices.WebSocketApiId}/gateway`;

  const talking = async (headers: Record<string, string>, talk: (with_: Talk) => Promise<void>): Promise<void> => {
    const open = await connect(url, headers);
    try {
      await talk(open);
    } finally {
      await open.close();
    }
  };
  const authenticated = (talk: (with_: Talk) => Promise<void>) =>
    talking({ 'x-session-id': session }, async (open) => {
      open.say({ type: 'auth', api_key: keys.agent });
      await open.hear('ready');
      await talk(open);
    });
  const chat = (id: string, more: object = {}) => ({
    type: 'chat.completions',
    id,
    body: {
      model: 'mock',
      stream: true,
      max_tokens: 400,
      messages: [{ role: 'user', content: `call ${id}` }],
      ...more,
    },
  });
  const said = (heard: readonly Message[], of: string): string =>
    heard
      .filter(({ type, id }) => type === 'event' && id === of)
      .map(({ data }) => data.choices?.[0]?.delta?.content ?? '')
      .join('');

  return [
    check('a connection with an invalid key is refused and closed', () =>
      talking({}, async (open) => {
        open.say({ type: 'auth', api_key: 'nobody' });
        assert.equal((await open.hear('error')).status, 401);
        await until('the connection to close', 10, async () => open.closed());
      }),
    ),
    check('a chat streams over the connection, event by event, alongside another chat and a ping', () =>
      authenticated(async (open) => {
        open.say(chat('r1'));
        open.say(chat('r2'));
        open.say({ type: 'ping' });
        await open.hear('pong');
        await Promise.all([open.hear('done', 'r1'), open.hear('done', 'r2')]);
        assert.deepEqual([said(open.heard, 'r1'), said(open.heard, 'r2')], [reply, reply]);
        assert.ok(open.heard.filter(({ type, id }) => type === 'event' && id === 'r1').length > 3);
      }),
    ),
    check('a key in the handshake also works, and a non-streaming call gets a complete response', () =>
      talking({ 'x-api-key': keys.agent, 'x-session-id': session }, async (open) => {
        open.say(chat('whole', { stream: false }));
        const { status, body } = await open.hear('response', 'whole');
        assert.equal(status, 200);
        assert.equal(body.choices[0].message.content, reply);
        open.say({ ...chat('m'), type: 'messages' });
        await open.hear('done', 'm');
        const events = open.heard.filter(({ type, id }) => type === 'event' && id === 'm');
        assert.deepEqual(events.at(-1)?.data.type, 'message_stop');
      }),
    ),
    check('a cancelled call stops immediately, and the evidence records the cancellation', async () => {
      await authenticated(async (open) => {
        open.say(chat('long', { model: 'mock-slow' }));
        await open.hear('event', 'long');
        open.say({ type: 'cancel', id: 'long' });
        await until('the call to be recorded as aborted', 20, async () => aborted(admin));
        assert.ok(said(open.heard, 'long').length < longReply.length / 2, said(open.heard, 'long'));
      });
    }),
    check('the connection’s evidence verifies', async () => {
      const live = expectStatus(await admin('human', `GET /admin/v1/evidence/sessions/${session}/verify`), 200);
      assert.equal(live.valid, true, JSON.stringify(live));
    }),
  ];
}

async function aborted(admin: Call): Promise<boolean> {
  const { status, body } = await admin('human', `GET /admin/v1/evidence/sessions/${session}/export`);
  if (status !== 200) return false;
  return body.entries.some(
    ({ kind, body: record }: Message) => kind === 'chat' && record.outcome === 'aborted' && record.transport === 'ws',
  );
}

async function connect(url: string, headers: Record<string, string>): Promise<Talk> {
  const socket = new WebSocket(url, { headers });
  const heard: Message[] = [];
  socket.on('message', (data) => {
    const message = JSON.parse(data.toString()) as Message;
    heard.push(...(message.type === 'batch' ? (message.messages as Message[]) : [message]));
  });
  await once(socket, 'open', { signal: AbortSignal.timeout(15_000) });
  return {
    heard,
    say: (message) => socket.send(JSON.stringify(message)),
    hear: (type, id) =>
      until(`${type} ${id ?? ''}`, 20, async () =>
        heard.find((message) => message.type === type && (id === undefined || message.id === id)),
      ).catch((thrown: Error) => {
        throw new Error(`${thrown.message}; heard ${JSON.stringify(heard).slice(0, 600)}`);
      }),
    closed: () => socket.readyState === WebSocket.CLOSED,
    close: async () => {
      if (socket.readyState === WebSocket.CLOSED) return;
      const gone = once(socket, 'close');
      socket.terminate();
      await gone;
    },
  };
}
