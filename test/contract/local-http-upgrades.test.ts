/** Upgrades of connections to another protocol. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { GatewayError } from '#core/kernel/errors.ts';
import { head, raw, serverOf } from '../support/raw-http.ts';

describe('upgrades', () => {
  const handshake = (path: string, ...headers: string[]) =>
    head(
      `GET ${path}`,
      ...(headers.length > 0 ? headers : ['Host: localhost']),
      'Connection: Upgrade',
      'Upgrade: websocket',
    );
  const echoing = (more: object = {}) =>
    serverOf({
      upgrade: (_: unknown, socket: Socket, first: Buffer) => {
        socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
        socket.write(first);
        socket.pipe(socket);
      },
      ...more,
    });

  test('go to who takes them over, with what was sent already', async () => {
    const open = await echoing();
    const socket = connect(open.port, '127.0.0.1');
    socket.setEncoding('latin1').write(`${handshake('/things')}early`);
    let all = '';
    for await (const text of socket) {
      all += text;
      if (all.endsWith('early')) socket.write('late');
      if (all.endsWith('late')) break;
    }
    expect(all).toMatch(/^HTTP\/1.1 101 .*earlylate$/s);
    await open.drain(0);
  });

  test.each([
    ['a foreign Host', handshake('/things', 'Host: evil.example'), 403, 'forbidden'],
    ['no Host', handshake('/things', 'Accept: */*'), 400, 'invalid_request'],
  ])('%s never gets there', async (_, sent, status, type) => {
    const open = await echoing();
    const answer = await raw(sent, open.port);
    expect([answer.status, answer.body.error.type, answer.headers['x-request-id']]).toEqual([
      status,
      type,
      expect.any(String),
    ]);
    await open.drain(0);
  });

  test('are refused where no handler takes them', async () => {
    const answers = [await raw(handshake('/things')), await raw(handshake('/nothing'))];
    expect(answers.map(({ status, body }) => [status, body.error.type])).toEqual(Array(2).fill([404, 'not_found']));
  });

  test('to another protocol are passed over, and the request is answered', async () => {
    const open = await echoing();
    const h2c = head('GET /things', 'Host: localhost', 'Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c');
    expect((await raw(h2c, open.port)).status).toBe(200);
    expect((await raw(h2c)).status).toBe(200);
    await open.drain(0);
  });

  test('one that fails is refused, and one that breaks off does no harm', async () => {
    const open = await echoing({
      upgrade: () => {
        throw new GatewayError('authentication_error', 'Send a key.');
      },
    });
    expect((await raw(handshake('/things'), open.port)).status).toBe(401);
    const socket = connect(open.port, '127.0.0.1');
    socket.write(handshake('/things'));
    socket.resetAndDestroy();
    expect((await raw(head('GET /things', 'Host: localhost'), open.port)).status).toBe(200);
    await open.drain(0);
  });

  test('are cut by a drain that has waited long enough', async () => {
    const open = await echoing();
    const socket = connect(open.port, '127.0.0.1');
    socket.write(handshake('/things'));
    await once(socket, 'data');
    const closed = once(socket, 'close');
    await open.drain(10);
    await closed;
  });
});
