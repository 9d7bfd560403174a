/** Approvals as they may be configured: short lives, execution by the gateway, a call that is held. */
import { type Gateway, startGateway } from '../support/gateway.ts';
import { ask, configurationWith, decided, exportOf, type Fields, pullRequest, until, vote } from './client.ts';

async function running(approvals: string, work: (url: string) => Promise<void>): Promise<void> {
  const gateway: Gateway = await startGateway({
    config: configurationWith((yaml) => `${yaml}approvals: ${approvals}\n`),
  });
  try {
    await work(gateway.ready.admin_url);
  } finally {
    await gateway.stop();
  }
}

test('[approval.use-expires] [approval.history] an approved call that is not used in time is review again', async () => {
  await running('{ timeout_seconds: 3 }', async (url) => {
    // On a busy machine the vote may come after the request's own end: then the next request is voted for.
    let tries = 0;
    const { session, envelope_id, approved_at } = await until('a vote in time', async () => {
      const asked = `modes-expire-${++tries}`;
      const request = await decided(url, 'e2e-agent', pullRequest(asked));
      const { status, body } = await vote(url, 'e2e-alice', 'approve', request.envelope_id);
      return status === 200
        ? { session: asked, envelope_id: request.envelope_id, approved_at: String(body.approved_at) }
        : undefined;
    });
    const over = Date.parse(approved_at) + 3000;
    await until('the end of its use', async () => (Date.now() > over ? true : undefined));
    const late = await decided(url, 'e2e-agent', { ...pullRequest(session), approval_ref: envelope_id });
    expect(late).toMatchObject({ decision: 'review', error: { data: { reason: 'expired' } } });
    expect(late.envelope_id).not.toBe(envelope_id);

    const kinds = await until('the time-out', async () => {
      const { entries } = await exportOf(url, 'e2e-bob', session);
      return entries.at(-1)?.kind === 'deny' ? entries.map(({ kind }) => kind) : undefined;
    });
    expect(kinds).toEqual(['review', 'approve', 'review', 'deny']);
    const history = await ask<{ approvals: Fields[] }>(url, 'GET', '/admin/v1/approvals/history?status=expired', {
      key: 'e2e-bob',
    });
    expect(history.body.approvals[0]?.envelope_id).toBe(late.envelope_id);
    expect(history.body.approvals).toHaveLength(tries);
    const denied = await ask<{ approvals: Fields[] }>(url, 'GET', '/admin/v1/approvals/history?status=denied', {
      key: 'e2e-bob',
    });
    expect(denied.body.approvals).toEqual([]);
  });
});

test('[approval.on-approval.execute] the gateway runs the approved call once; the identical call collects the result', async () => {
  await running('{ on_approval: execute }', async (url) => {
    const { envelope_id } = await decided(url, 'e2e-agent', pullRequest('modes-execute'));
    await vote(url, 'e2e-alice', 'approve', envelope_id);
    await until('the execution', async () => {
      const { body } = await ask(url, 'GET', `/admin/v1/approvals/${envelope_id}`, { key: 'e2e-bob' });
      return body.status === 'consumed' ? true : undefined;
    });
    const collected = await decided(url, 'e2e-agent', { ...pullRequest('modes-execute'), approval_ref: envelope_id });
    expect(collected).toMatchObject({ decision: 'allow', matched_rule: `approved:${envelope_id}` });
    const { entries } = await exportOf(url, 'e2e-bob', 'modes-execute');
    expect(entries.map(({ kind }) => kind)).toEqual(['review', 'approve', 'allow', 'result']);
  });
});

test('[approval.hold] a held call is answered in place when it is decided in time', async () => {
  await running('{ hold_seconds: 50 }', async (url) => {
    const held = decided(url, 'e2e-agent', pullRequest('modes-hold'));
    const id = await until('the request', async () => {
      const { body } = await ask<{ pending: Fields[] }>(url, 'GET', '/admin/v1/approvals', { key: 'e2e-bob' });
      return body.pending[0]?.envelope_id as string | undefined;
    });
    expect((await vote(url, 'e2e-alice', 'approve', id)).status).toBe(200);
    expect(await held).toMatchObject({ decision: 'allow', matched_rule: `approved:${id}` });
    const { entries } = await exportOf(url, 'e2e-bob', 'modes-hold');
    expect(entries.map(({ kind }) => kind)).toEqual(['review', 'approve', 'allow', 'result']);
  });
});
