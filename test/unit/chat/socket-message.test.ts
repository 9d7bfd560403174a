/** Parsing of WebSocket messages. */
import { closesWith, readMessage, refusalOf, serverMessages } from '#core/chat/socket-message.ts';
import { GatewayError } from '#core/kernel/errors.ts';

const read = (message: unknown) =>
  readMessage(typeof message === 'string' ? message : JSON.stringify(message), () => 'fresh');
const body = { model: 'm', messages: [] };

test('[chat.ws] reads calls in both dialects, with additional members next to the body', () => {
  expect(read({ type: 'chat.completions', id: 'a', body })).toEqual({
    type: 'call',
    id: 'a',
    sentId: 'a',
    dialect: 'openai',
    body,
    passed: {},
  });
  const beside = { session_id: 's', approval_ref: 'e', traceparent: 't', anthropic_beta: 'b', anthropic_version: 'v' };
  expect(read({ type: 'messages', id: 7, body, ...beside })).toEqual({
    type: 'call',
    id: '7',
    sentId: 7,
    dialect: 'anthropic',
    body,
    sessionId: 's',
    approvalRef: 'e',
    traceparent: 't',
    passed: { 'anthropic-beta': 'b', 'anthropic-version': 'v' },
  });
});

test('[chat.ws] a plain chat request is read as a chat completion, with or without an id', () => {
  expect(read(body)).toMatchObject({ type: 'call', id: 'fresh', dialect: 'openai', body });
  expect(read({ ...body, id: 'mine' })).toMatchObject({ id: 'mine', body });
  expect(read({ messages: [] })).toMatchObject({ type: 'call', body: { messages: [] } });
});

test('[chat.ws] a numeric id is returned as a number, and an invalid id is reported before other errors in the call', () => {
  const call = read({ type: 'chat.completions', id: 5, body });
  expect(call).toMatchObject({ id: '5', sentId: 5 });
  expect(JSON.parse(serverMessages.done((call as { sentId: number }).sentId, 'completed'))).toMatchObject({ id: 5 });
  expect(read({ type: 'cancel', id: 5 })).toEqual({ type: 'cancel', id: '5' });
  expect(read({ type: 'chat.completions', id: null })).toMatchObject({
    fault: { message: expect.stringMatching(/^id is null; allowed is a string of 1 to 128/) },
  });
});

test('reads auth, cancel and ping messages', () => {
  expect(read({ type: 'auth', api_key: 'k' })).toEqual({ type: 'auth', apiKey: 'k' });
  expect(read({ type: 'cancel', id: 'a' })).toEqual({ type: 'cancel', id: 'a' });
  expect(read({ type: 'ping' })).toEqual({ type: 'ping' });
});

test.each([
  ['no JSON', '{', undefined],
  ['a duplicate key', '{"type":"ping","type":"auth"}', undefined],
  ['no object', [], undefined],
  ['no type', { id: 'a' }, 'a'],
  ['another type', { type: 'toString', id: 'a' }, 'a'],
  ['a type that is no text', { type: 1, id: 2 }, 2],
  ['no body', { type: 'messages', id: 'a' }, 'a'],
  ['an empty id', { type: 'messages', id: '', body }, undefined],
  ['an id with a space', { type: 'messages', id: 'a b', body }, undefined],
  ['an id that is too long', { type: 'cancel', id: 'x'.repeat(129) }, undefined],
  ['a fraction', { type: 'cancel', id: 1.5 }, undefined],
  ['no key', { type: 'auth' }, undefined],
  ['a key with a line break', { type: 'auth', api_key: 'a\nb' }, undefined],
  ['a session that is no text', { type: 'messages', id: 'a', body, session_id: 1 }, 'a'],
])('rejects %s, and includes the call id if there is one', (_what, message, id) => {
  const faulty = read(message);
  expect(faulty).toMatchObject({ type: 'faulty', fault: { code: 'invalid_request' } });
  expect((faulty as { sentId?: unknown }).sentId).toBe(id);
});

test('errors include their status, and no more details than over HTTP', () => {
  const fault = new GatewayError('provider_error', 'sk-secret of the provider', { retryAfterSeconds: 3 });
  const text = serverMessages.error(fault, { id: 'a', headers: { 'x-request-id': 'r' } });
  expect(JSON.parse(text)).toMatchObject({
    type: 'error',
    id: 'a',
    status: 502,
    retry_after: 3,
    headers: { 'x-request-id': 'r' },
    error: { type: 'provider_error' },
  });
  expect(text).not.toContain('sk-secret');
});

test('only authentication failures close the connection', () => {
  expect(closesWith).toEqual({ 401: 4401, 403: 4403, 413: 1009, 429: 4429 });
  expect(closesWith[refusalOf('running', 'a').kind.status]).toBeUndefined();
});
