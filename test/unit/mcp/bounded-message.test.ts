/** Messages of servers during a call: small ones as they are, large ones cut or looked over elsewhere. */

import type { JsonObject } from '#core/kernel/json.ts';
import { handBounded } from '#core/mcp/tools/bounded-message.ts';

const secret = 'minted-value-123456';
const notification = (method: string, params: JsonObject): JsonObject => ({ jsonrpc: '2.0', method, params });

const refused = () => {
  throw new Error('nothing is refused here');
};

function handed(message: JsonObject): JsonObject[] {
  const all: JsonObject[] = [];
  handBounded(message, [secret], undefined, (each) => all.push(each), refused);
  return all;
}

describe('[limit.heavy-call] a message of a server during a call', () => {
  test('is handed on whole where it is small, without the secrets of the call', () => {
    const small = notification('notifications/message', {
      level: 'info',
      logger: 'db',
      data: { rows: 3, with: secret },
    });
    expect(JSON.stringify(handed(small))).not.toContain(secret);
    expect(handed(small)).toMatchObject([{ params: { level: 'info', logger: 'db', data: { rows: 3 } } }]);
  });

  test('is cut to what the protocol needs where it is a notification of many characters or values', () => {
    for (const data of ['x'.repeat(1_000_000), Array.from({ length: 50_000 }, () => 1)])
      expect(handed(notification('notifications/message', { level: 'info', data, other: 'x' }))).toEqual([
        notification('notifications/message', {
          level: 'info',
          data: '[left out by the gateway: the notification is too large]',
        }),
      ]);
    const progress = { progressToken: 'p', progress: 1, total: 2 };
    expect(handed(notification('notifications/progress', { ...progress, message: 'x'.repeat(1_000_000) }))).toEqual([
      notification('notifications/progress', progress),
    ]);
    expect(handed(notification('notifications/other', { uri: 'x'.repeat(1_000_000) }))).toEqual([
      notification('notifications/other', {}),
    ]);
  });

  test('is looked over in a worker where it is a large request, and refused where that fails', async () => {
    const request = { jsonrpc: '2.0', id: 1, method: 'sampling/createMessage', params: { text: 'x'.repeat(100_000) } };
    const redacted = new Promise<JsonObject>((hand) => {
      handBounded(request, [secret], { redactResult: async () => ({ looked: 'over' }) }, hand, refused);
    });
    expect(await redacted).toEqual({ looked: 'over' });
    const failing = { redactResult: () => Promise.reject(new Error('late')) };
    const answer = new Promise((answered) => {
      handBounded(request, [], failing, refused, (id, outcome) => answered({ id, ...outcome }));
    });
    expect(await answer).toMatchObject({
      id: 1,
      error: { code: -32603, message: expect.stringContaining('too large') },
    });
  });
});
