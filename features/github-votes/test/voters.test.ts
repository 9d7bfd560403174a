/** Comments that do not count, and deliveries that do not come from the host. */
import { commentPayload, deliveryHeaders, headSha, pushedSha } from '../../../test/support/fake-pull-requests.ts';
import { keys } from '../../../test/support/ports.ts';
import { answersOn, asked, call, comment, host, nextComment, type Sent, statusOf } from './votes.ts';

describe('[pr-comment.voter] a delivery', () => {
  test('a delivery signed with another secret has no effect', async () => {
    const id = await asked();
    expect((await comment({ text: `/approve ${id}`, secret: 'guessed' })).status).toBe(401);
    expect((await comment({ text: `/approve ${id}`, headers: { 'x-hub-signature-256': '' } })).status).toBe(401);
    expect(await statusOf(id)).toBe('pending');
    expect(host.calls).toEqual([]);
  });

  test('the signature is verified on the raw bytes before parsing', async () => {
    const id = await asked();
    const raw = JSON.stringify(commentPayload({ text: `/approve ${id}`, id: nextComment() }));
    const headers = deliveryHeaders(raw, 'webhook-secret-1');
    expect((await call('POST', '/callbacks/github', { raw: `${raw} `, headers })).status).toBe(401);
    expect((await call('POST', '/callbacks/github', { raw: '{', headers })).status).toBe(401);
    expect(await statusOf(id)).toBe('pending');
  });

  test.each([
    ['no JSON', '{', {}, 400],
    ['a key twice', '{"action":"created","action":"created"}', {}, 400],
    ['a form', 'payload=%7B%7D', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ['a comment without writer', '{"action":"created","issue":{"number":7,"pull_request":{}}}', {}, 400],
    ['a megabyte and more', ' '.repeat(1024 * 1024 + 1), {}, 413],
  ])('a signed delivery with %s is refused', async (_, raw, headers, status) => {
    const answer = await call('POST', '/callbacks/github', {
      raw,
      headers: { ...deliveryHeaders(raw, 'webhook-secret-1'), ...headers },
    });
    expect(answer.status).toBe(status);
  });

  test('other kinds of deliveries are acknowledged and ignored', async () => {
    const id = await asked();
    const text = `/approve ${id}`;
    expect((await comment({ text, event: 'ping' })).status).toBe(200);
    for (const sent of [
      { text, over: { action: 'edited' } },
      { text, commentOver: { user: { login: 'alice-gh', type: 'Bot' } } },
      { text: 'looks right' },
    ]) {
      const answer = await comment(sent);
      expect([answer.status, typeof answer.body.ignored]).toEqual([202, 'string']);
    }
    expect(await statusOf(id)).toBe('pending');
    expect(host.calls).toEqual([]);
  });
});
describe('[pr-comment.voter] a comment does not count', () => {
  const refused = async (id: string, sent: Sent, why: string | RegExp) => {
    const answer = await comment(sent);
    expect(answer.status).toBe(200);
    expect(answer.body.text).toMatch(/^Not decided: /);
    expect(answer.body.text).toMatch(why);
    expect(await statusOf(id)).toBe('pending');
  };

  test('[sod.own-request] a comment by a stranger does not count and gets no reply', async () => {
    const id = await asked();
    host.permissions.set('acme/web stranger', 'admin');
    await refused(id, { text: `/approve ${id}`, login: 'stranger' }, /not mapped to a person/);
    await refused(id, { text: `/approve ${id}\n/deny ${id}`, login: 'stranger' }, /not mapped to a person/);
    expect(host.calls).toEqual([]);
  });

  test.each([
    ['in a role that has no vote', { login: 'vera-gh' }, /Found role viewer/],
    ['in another tenant', { login: 'tess-gh' }, /was not found/],
    ['on another pull request', { number: 8 }, /not requested on this pull request/],
    ['in another repository', { repository: 'acme/webshop' }, /not requested on this pull request/],
  ])('a comment by a person %s does not count, and the reply explains why', async (_, sent, why) => {
    const id = await asked();
    host.heads.set('acme/webshop#7', headSha);
    await refused(id, { text: `/approve ${id}`, ...sent }, why);
    expect(host.calls.map(({ method }) => method)).toEqual(['POST']);
    const reply = host.comments.at(-1);
    expect(reply?.on).toBe(
      `${'repository' in sent ? sent.repository : 'acme/web'}#${'number' in sent ? sent.number : 7}`,
    );
    expect(reply?.body).toMatch(why);
  });

  test('[sod.own-request] by the person who owns the requesting key', async () => {
    const id = await asked({}, keys.agent);
    await refused(id, { text: `/approve ${id}`, login: 'bob-gh' }, /made this request or owns the key/);
    await comment({ text: `/approve ${id}` });
    expect(await statusOf(id)).toBe('approved');
  });

  test.each(['read', undefined])(
    'a comment does not count if its author’s current permission is %s',
    async (permission) => {
      const id = await asked();
      host.permissions.delete('acme/web Alice-GH');
      if (permission) host.permissions.set('acme/web Alice-GH', permission);
      await refused(
        id,
        { text: `/deny ${id}` },
        `Found permission ${permission ?? 'none'} at acme/web; allowed to vote: write`,
      );
      expect(answersOn()[0]?.body).toContain('@Alice-GH:');
    },
  );

  test.each([
    ['a command further down', (id: string) => `Fine.\n/approve ${id}`, /further down/],
    ['another digest', (id: string) => `/approve ${id} 0123456789ab`, /does not match the call and the commit/],
  ])('[pr-comment.voter] with %s', async (_, text, why) => {
    const id = await asked();
    await refused(id, { text: text(id) }, why);
    expect(answersOn()[0]?.body).toMatch(why);
  });

  test('a comment on an unknown approval is ignored, because another gateway may be using the channel', async () => {
    const unknown = '01890000-0000-7000-8000-00000000dead';
    expect((await comment({ text: `/approve ${unknown}` })).body.text).toContain('was not found');
    expect(host.calls).toEqual([]);
  });

  test('on a request that is already decided; the reply names the person who decided it', async () => {
    const id = await asked();
    await comment({ text: `/approve ${id}` });
    host.heads.set('acme/web#7', pushedSha);
    expect((await comment({ text: `/deny ${id}` })).body.text).toContain('already approved (by alice)');
  });
});
