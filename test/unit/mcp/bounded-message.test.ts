/** Server messages during a call: small ones pass, large ones are truncated or inspected in a worker. */

import { toolGuard } from '#core/contracts/config/tool-guard.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import type { RequestId, RpcOutcome } from '#core/mcp/protocol/messages.ts';
import { forwardMessage } from '#core/mcp/tools/bounded-message.ts';
import { inspectResult } from '#core/mcp/tools/inspect-result.ts';

const secret = 'minted-value-123456';
const notification = (method: string, params: JsonObject): JsonObject => ({ jsonrpc: '2.0', method, params });

const refused = () => {
  throw new Error('nothing is refused here');
};

const quiet = { look: inspectResult, guard: undefined, noted: () => {} };

function handed(message: JsonObject): JsonObject[] {
  const all: JsonObject[] = [];
  forwardMessage(message, [secret], undefined, { ...quiet, hand: (each) => void all.push(each), refuse: refused });
  return all;
}

describe('[limit.hostile] a server message during a call', () => {
  test('is forwarded unchanged if it is small, except that the call’s secrets are removed', () => {
    const small = notification('notifications/message', {
      level: 'info',
      logger: 'db',
      data: { rows: 3, with: secret },
    });
    expect(JSON.stringify(handed(small))).not.toContain(secret);
    expect(handed(small)).toMatchObject([{ params: { level: 'info', logger: 'db', data: { rows: 3 } } }]);
  });

  test("is cut to the protocol's members if it is a notification of many characters or values", () => {
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

  test('is scanned in a worker if it is a large request, and refused if the scan fails', async () => {
    const request = { jsonrpc: '2.0', id: 1, method: 'sampling/createMessage', params: { text: 'x'.repeat(100_000) } };
    const redacted = new Promise<JsonObject>((hand) => {
      const lookOver = async () => ({ outcome: { looked: 'over' }, findings: [] });
      forwardMessage(request, [secret], { lookOver }, { ...quiet, hand, refuse: refused });
    });
    expect(await redacted).toEqual({ looked: 'over' });
    const failing = { lookOver: () => Promise.reject(new Error('late')) };
    const answer = new Promise((answered) => {
      const refuse = (id: RequestId, outcome: RpcOutcome) => answered({ id, ...outcome });
      forwardMessage(request, [], failing, { ...quiet, hand: refused, refuse });
    });
    expect(await answer).toMatchObject({
      id: 1,
      error: { code: -32603, message: expect.stringContaining('too large') },
    });
  });

  test('[guard.results] a form that requests a password is refused and recorded', () => {
    const properties = { user: { type: 'string' }, new_password: { type: 'string' } };
    const form = (fields: JsonObject): JsonObject => ({
      jsonrpc: '2.0',
      id: 7,
      method: 'elicitation/create',
      params: { message: 'Who are you?', requestedSchema: { type: 'object', properties: fields } },
    });
    const { results } = toolGuard.parse({});
    const said: unknown[] = [];
    const handing = {
      look: inspectResult,
      guard: { actions: results, prompt: false },
      hand: (message: JsonObject) => void said.push(message.id),
      refuse: (_id: RequestId, outcome: RpcOutcome) => void said.push(outcome),
      noted: (found: readonly { readonly kind: string }[]) => void said.push(...found.map(({ kind }) => kind)),
    };
    forwardMessage(form({ user: properties.user }), [], undefined, handing);
    forwardMessage(form(properties), [], undefined, handing);
    expect(said).toEqual([
      7,
      'asks_secret',
      { error: { code: -32603, message: expect.stringContaining('tool guard') } },
    ]);
  });
});
