/** The one-time sign-in link, where a running gateway cannot be asked: other addresses, and time that passes. */
import { signInLink } from '../../../bin/local/sign-in-link.ts';

const linkMinutes = 10;

const request = (token: string, remoteAddress: string | undefined) => ({
  ...{ method: 'POST', path: '/console/sign-in', remoteAddress },
  headers: { host: '127.0.0.1:1', 'content-type': 'application/json' },
  body: async () => Buffer.from(JSON.stringify({ token })),
});

test('[console.sign-in-link] another machine is refused, with the right token too; this one is not', async () => {
  const link = signInLink('a-key', { now: () => 0 });
  const token = link.fragment.replace('#sign-in=', '');
  for (const address of ['192.0.2.7', '10.0.0.1', '::ffff:192.0.2.7', '2001:db8::1', '127.0.0.1.example', undefined])
    await expect(link.exchange(request(token, address))).rejects.toMatchObject({ code: 'forbidden' });
  const { statusCode, body } = await link.exchange(request(token, '::ffff:127.0.0.1'));
  expect([statusCode, JSON.parse(String(body))]).toEqual([200, { key: 'a-key' }]);
});

test('[console.sign-in-link] after its time the link opens nothing', async () => {
  let now = 0;
  const link = signInLink('a-key', { now: () => now });
  now = linkMinutes * 60_000;
  await expect(link.exchange(request(link.fragment.slice(9), '127.0.0.1'))).rejects.toMatchObject({
    code: 'authentication_error',
  });
  now -= 1;
  expect((await link.exchange(request(link.fragment.slice(9), '::1'))).statusCode).toBe(200);
});
