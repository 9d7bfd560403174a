/** Decisions on actions, their approval and their execution. */

import { settle } from '#core/approvals/steps.ts';
import { sweepApprovals } from '#core/approvals/sweep.ts';
import { stepPorts } from '#lambdas/step-ports.ts';
import { caller } from '../support/call-endpoint.ts';
import { evidenceOf } from '../support/evidence-of.ts';
import { keys, testPorts } from '../support/ports.ts';
import { inSession, pull, useGateway } from '../support/use-gateway.ts';

describe('decided', () => {
  const gateway = useGateway();
  const { act, approve, call, deny } = gateway;

  const read = { protocol: 'git', tool: 'scm.get_file_contents', target: 'acme/web', capability: 'read' };
  const remove = { protocol: 'shell', tool: 'shell.rm', target: 'build', capability: 'execute' };
  const kinds = async (name: string) => (await evidenceOf(gateway.ports, name)).map(({ kind }) => kind);
  describe('one action passing through the pipeline', () => {
    test('[credential.minted] [credential.never-shown] [log.action-line] allow mints the granted credential and reveals no secret', async () => {
      const answer = await act(inSession(read, 'allow-1'));
      expect(answer).toMatchObject({
        status: 200,
        body: {
          decision: 'allow',
          matched_rule: 'git:scm.get_*',
          policy: 'pr-writer',
          credential: { type: 'scm_app_jwt', scope: 'contents:read', expires_in: 600 },
        },
      });
      expect(answer.body.evidence_hash).toMatch(/^[0-9a-f]{64}$/);
      expect(answer.text).not.toContain('eyJ');
      expect(await kinds('allow-1')).toEqual(['allow', 'result']);
    });

    test('[admin.metrics] each credential is counted by broker as issued or refused', async () => {
      const counted = (outcome: string) => {
        const line = new RegExp(`^svc_credentials_total\\{broker="scm",outcome="${outcome}"\\} (\\d+)$`, 'm');
        return Number(line.exec(gateway.telemetry.metricsText())?.[1] ?? 0);
      };
      const before = { issued: counted('issued'), refused: counted('refused') };
      await act(inSession(read));
      expect(counted('issued')).toBe(before.issued + 1);
      const none = caller({ ...gateway.ports, brokers: async () => undefined });
      const refused = await none('POST', '/admin/v1/test-action', { key: keys.agent, body: inSession(read) });
      expect(refused).toMatchObject({
        status: 503,
        body: { error: { message: expect.stringContaining('Broker scm') } },
      });
      expect(counted('refused')).toBe(before.refused + 1);
      expect(counted('issued')).toBe(before.issued + 1);
      await act(inSession({ ...read, tool: 'scm.list_branches' })); // no grant: no credential was requested
      expect(counted('issued')).toBe(before.issued + 1);
    });

    test('[action.block] block returns the reason and an alternative', async () => {
      const { body } = await act(inSession(remove, 'block-1'));
      expect(body).toMatchObject({ decision: 'block', matched_rule: 'shell:shell.rm', error: { code: -32001 } });
      expect(body.error.data.reason).toEqual(expect.any(String));
      expect(body.error.data.suggested_alternative).toEqual(expect.any(String));
      expect(await kinds('block-1')).toEqual(['block']);
    });

    test('[action.review] [approval.used-once] review queues the call, approve lets that call through once, and the next one is reviewed again', async () => {
      const asked = await act(inSession(pull, 'review-1'));
      const id = asked.body.envelope_id;
      expect(asked.body).toMatchObject({
        decision: 'review',
        error: { code: -32002, data: { approval_url: `http://127.0.0.1:8081/admin/v1/approvals/${id}` } },
      });
      expect(gateway.started).toContain(id);
      const pending = await call('GET', '/admin/v1/approvals', { key: keys.human });
      expect(pending.body.pending.map((item: { envelope_id: string }) => item.envelope_id)).toContain(id);

      const record = await approve(id);
      expect(record).toMatchObject({
        status: 200,
        body: { envelope_id: id, status: 'approved', reviewer: 'alice', person: 'alice' },
      });
      expect(record.body.evidence_hash).toMatch(/^[0-9a-f]{64}$/);

      const retry = await act({ ...inSession(pull, 'review-1'), approval_ref: id });
      expect(retry.body).toMatchObject({
        decision: 'allow',
        matched_rule: `approved:${id}`,
        credential: { type: 'scm_app_jwt', scope: 'pull_requests:write,contents:read', expires_in: 600 },
      });
      const second = await act({ ...inSession(pull, 'review-1'), approval_ref: id });
      expect(second.body).toMatchObject({ decision: 'review', error: { data: { reason: 'already_used' } } });
      expect(second.body.envelope_id).not.toBe(id);
      expect(await kinds('review-1')).toEqual(['review', 'approve', 'allow', 'result', 'review']);
    });

    test('[action.retry] an identical call without a reference finds its request, pending or approved', async () => {
      const first = await act(inSession(pull, 'same-1'));
      const again = await act(inSession(pull, 'same-1'));
      expect(again.body.envelope_id).toBe(first.body.envelope_id);
      await approve(first.body.envelope_id);
      expect((await act(inSession(pull, 'same-1'))).body.matched_rule).toBe(`approved:${first.body.envelope_id}`);
      expect((await act(inSession(pull, 'same-1'))).body.decision).toBe('review');
    });

    test('[approval.denied] a denial blocks identical calls in its session and shows the comment; another session opens a new request', async () => {
      const first = await act(inSession(pull, 'denied-1'));
      const id = first.body.envelope_id;
      const record = await deny(id, 'not on a Friday');
      expect(record.body.status).toBe('denied');
      for (const again of [inSession(pull, 'denied-1'), { ...inSession(pull, 'denied-1'), approval_ref: id }]) {
        expect((await act(again)).body).toMatchObject({
          envelope_id: id,
          decision: 'block',
          matched_rule: `denied:${id}`,
          evidence_hash: record.body.evidence_hash,
          error: {
            code: -32001,
            message: 'scm.create_pull_request was denied by alice: not on a Friday',
            data: {
              reason: 'denied',
              reviewer: 'alice',
              comment: 'not on a Friday',
              suggested_alternative: expect.stringContaining('for the rest of this session'),
            },
          },
        });
      }
      // A repeated call writes nothing: the denial is the evidence.
      expect(await kinds('denied-1')).toEqual(['review', 'deny']);
      expect((await act({ ...inSession(pull, 'denied-1'), dry_run: true })).body).toMatchObject({
        decision: 'block',
        matched_rule: `denied:${id}`,
        dry_run: true,
        error: { data: { reason: 'denied' } },
      });
      const later = await act({ ...inSession(pull, 'denied-1b'), approval_ref: id });
      expect(later.body).toMatchObject({ decision: 'review', error: { code: -32002 } });
      expect(later.body.envelope_id).not.toBe(id);
    });

    test('[approval.denied] naming another approval does not bypass a denial', async () => {
      const other = await act(inSession({ ...pull, parameters: { ...pull.parameters, title: 'Other' } }, 'denied-6'));
      await approve(other.body.envelope_id);
      const { body } = await act(inSession(pull, 'denied-6'));
      await deny(body.envelope_id, 'no');
      for (const approval_ref of [other.body.envelope_id, '00000000-0000-4000-8000-000000000000'])
        expect((await act({ ...inSession(pull, 'denied-6'), approval_ref })).body).toMatchObject({
          envelope_id: body.envelope_id,
          decision: 'block',
          matched_rule: `denied:${body.envelope_id}`,
          error: { code: -32001, data: { reason: 'denied', comment: 'no' } },
        });
      expect(await kinds('denied-6')).toEqual(['review', 'approve', 'review', 'deny']);
    });

    test('[approval.denied] a denial of one call does not affect other calls, sessions or keys', async () => {
      const { body } = await act(inSession(pull, 'denied-2'));
      await deny(body.envelope_id, 'no');
      const other = { ...pull, parameters: { ...pull.parameters, title: 'Another' } };
      for (const [call, key] of [
        [inSession(other, 'denied-2'), keys.agent],
        [inSession(pull, 'denied-3'), keys.agent],
        [{ ...inSession(pull, 'denied-4'), approval_ref: body.envelope_id }, keys.other],
      ] as const) {
        expect((await act(call, key)).body.decision).toBe('review');
      }
    });

    test('[approval.denied] the comment is sent to the agent truncated and without control characters', async () => {
      const { body } = await act(inSession(pull, 'denied-5'));
      const long = `first line\nsecond \u001b[31mred\u202e ${'x'.repeat(4000)}`;
      await deny(body.envelope_id, long);
      const { comment } = (await act(inSession(pull, 'denied-5'))).body.error.data;
      expect(comment).toMatch(/^first line\nsecond \\u\{1b\}\[31mred\\u\{202e\} x+… \(\d+ more characters\)$/);
      expect(comment.length).toBeLessThan(2_100);
    });

    test('[approval.timeout] an expired request is reviewed again immediately, and the response says so', async () => {
      const { body } = await act(inSession(pull, 'late-2'));
      gateway.pass(1801);
      const again = await act(inSession(pull, 'late-2'));
      expect(again.body).toMatchObject({ decision: 'review', error: { code: -32002, data: { reason: 'expired' } } });
      expect(again.body.envelope_id).not.toBe(body.envelope_id);
    });

    test('[approval.timeout] the timeout denies undecided requests, and a later vote returns 409', async () => {
      const { body } = await act(inSession(pull, 'late-1'));
      gateway.pass(1801);
      const late = await approve(body.envelope_id);
      expect(late).toMatchObject({
        status: 409,
        body: { error: { type: 'conflict', record: { status: 'denied', reason: 'timeout', reviewer: 'system' } } },
      });
      expect(await kinds('late-1')).toEqual(['review', 'deny']);
    });

    test.each([
      ['other parameters', { parameters: { title: 'Other', head: 'fix', base: 'main' } }, 'call_changed'],
      ['another target', { target: 'acme/api' }, 'call_changed'],
    ])('[approval.bound] an approval does not cover %s', async (_, change, reason) => {
      const action = inSession(pull);
      const { body } = await act(action);
      await approve(body.envelope_id);
      const other = await act({ ...action, ...change, approval_ref: body.envelope_id });
      expect(other.body).toMatchObject({ decision: 'review', error: { data: { reason } } });
    });

    test('[approval.bound] an approval for another session or key does not apply', async () => {
      const { body } = await act(inSession(pull, 'mine'));
      await approve(body.envelope_id);
      const elsewhere = await act({ ...inSession(pull, 'mine-too'), approval_ref: body.envelope_id });
      expect(elsewhere.body.error.data.reason).toBe('other_session');
      const stranger = await act({ ...inSession(pull, 'theirs'), approval_ref: body.envelope_id }, keys.other);
      expect(stranger.body.error.data.reason).toBe('other_key');
      expect((await act(inSession(pull, 'mine'), keys.other)).status).toBe(403);
    });

    test('[approval.never-lifts-block] an approval never overrides a block', async () => {
      const { body } = await act(inSession(pull, 'lift-1'));
      await approve(body.envelope_id);
      const blocked = await act({ ...inSession(remove, 'lift-1'), approval_ref: body.envelope_id });
      expect(blocked.body.decision).toBe('block');
    });

    test('[approval.used-once] of 20 concurrent calls with one approval, exactly one wins', async () => {
      const { body } = await act(inSession(pull, 'race-1'));
      await approve(body.envelope_id);
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => act({ ...inSession(pull, 'race-1'), approval_ref: body.envelope_id })),
      );
      expect(answers.filter(({ body }) => body.decision === 'allow')).toHaveLength(1);
      expect((await kinds('race-1')).filter((kind) => kind === 'allow')).toHaveLength(1);
    });

    test('[action.retry] 20 concurrent identical requests create one approval', async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => act(inSession(pull, 'crowd-1'))));
      expect(new Set(answers.map(({ body }) => body.envelope_id)).size).toBe(1);
      expect(await kinds('crowd-1')).toEqual(['review']);
    });

    test('[action.dry-run] dry_run records nothing and consumes nothing', async () => {
      const { body } = await act(inSession(pull, 'dry-1'));
      await approve(body.envelope_id);
      const dry = await act({ ...inSession(pull, 'dry-1'), approval_ref: body.envelope_id, dry_run: true });
      expect(dry.body).toMatchObject({ decision: 'review', dry_run: true });
      expect(await kinds('dry-1')).toEqual(['review', 'approve']);
      expect((await act({ ...inSession(pull, 'dry-1'), approval_ref: body.envelope_id })).body.decision).toBe('allow');
    });

    test('[evidence.secrets-redacted] [approval.card] secrets in parameters never reach evidence or reviewers', async () => {
      const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
      const parameters = { ...pull.parameters, password: 'hunter2-hunter2', body: `use ${secret}` };
      const { body } = await act(inSession({ ...pull, parameters }, 'secret-1'));
      const item = await call('GET', `/admin/v1/approvals/${body.envelope_id}`, { key: keys.human });
      const bundle = await call('GET', '/admin/v1/evidence/sessions/secret-1/export', { key: keys.human });
      for (const text of [item.text, bundle.text]) {
        expect(text).not.toContain(secret);
        expect(text).not.toContain('hunter2');
      }
      expect(item.body.withheld).toEqual(expect.arrayContaining(['$.parameters.password']));
    });

    test('[action.store-steps] allow, block and review take at most three sequential store steps', async () => {
      await gateway.ports.snapshots.current();
      // The key's risk record is written in parallel with the action, and only if it has changed.
      await act(inSession(read));
      await act(inSession(remove));
      const allow = await gateway.steps.during(() => act(inSession(read)));
      const block = await gateway.steps.during(() => act(inSession(remove)));
      const review = await gateway.steps.during(() => act(inSession(pull)));
      expect([allow.value.body.decision, block.value.body.decision, review.value.body.decision]).toEqual([
        'allow',
        'block',
        'review',
      ]);
      expect(allow.steps).toBeLessThanOrEqual(3);
      expect(block.steps).toBeLessThanOrEqual(3);
      expect(review.steps).toBeLessThanOrEqual(3);
    });
  });
});

/** Votes, repair after an interruption, and execution on approval. */
describe('approved', () => {
  const gateway = useGateway();
  const { act, approve, call, deny } = gateway;

  describe('votes', () => {
    test.each([
      ['an agent key', keys.agent, 403, 'forbidden'],
      ['a viewer service key', keys.viewer, 403, 'forbidden'],
      ['the owner of the requesting key', keys.owner, 403, 'separation_of_duties'],
      ['an unknown key', 'nobody', 401, 'authentication_error'],
    ])('[sod.own-request] %s cannot vote', async (_, key, status, type) => {
      const { body } = await act(inSession(pull));
      expect(await approve(body.envelope_id, key)).toMatchObject({ status, body: { error: { type } } });
    });

    test('[approval.states] a second vote returns 409 with the existing record', async () => {
      const { body } = await act(inSession(pull));
      await approve(body.envelope_id);
      const second = await deny(body.envelope_id);
      expect(second).toMatchObject({
        status: 409,
        body: { error: { type: 'conflict', record: { status: 'approved', reviewer: 'alice' } } },
      });
    });

    test.each([
      [{}, /reviewer/],
      [{ reviewer: '' }, /reviewer: found an empty string, allowed a string of 1 to 256 characters/],
      [{ reviewer: ' \u200b' }, /reviewer: found ".*", allowed text with at least one visible character/],
      [{ reviewer: 'alice', status: 'approved' }, /status/],
    ])('[approval.record] a vote with %j is rejected and decides nothing', async (given, message) => {
      const { envelope_id } = (await act(inSession(pull))).body;
      const vote = (body: object) =>
        call('POST', `/admin/v1/approvals/${envelope_id}/approve`, { key: keys.human, body });
      const { status, body } = await vote(given);
      expect([status, body.error.type, body.error.message]).toEqual([
        ...[400, 'invalid_request'],
        expect.stringMatching(message),
      ]);
      expect((await vote({ reviewer: 'alice' })).status).toBe(200);
    });

    test("[auth.tenant-isolation] another tenant's request is not found", async () => {
      const far = await act(inSession(pull), 'elsewhere-key');
      expect((await approve(far.body.envelope_id)).status).toBe(404);
    });
  });
  describe('healing', () => {
    test('[approval.machine] [approval.lease] the sweep denies expired requests and ends a lease without an outcome as unknown, never rerunning the call', async () => {
      let runs = 0;
      const crashing = await testPorts({
        executors: [
          {
            name: 'crash',
            handles: ({ tool }) => tool.startsWith('scm.create'),
            execute: () => {
              runs++;
              return new Promise(() => {});
            },
          },
        ],
      });
      const ask = caller(crashing.ports);
      const body = inSession(pull, 'crash-1');
      const asked = await ask('POST', '/admin/v1/test-action', { key: keys.agent, body });
      const id = asked.body.envelope_id;
      await ask('POST', `/admin/v1/approvals/${id}/approve`, { key: keys.human, body: { reviewer: 'alice' } });
      void ask('POST', '/admin/v1/test-action', { key: keys.agent, body: { ...body, approval_ref: id } });
      while (runs === 0) await new Promise(setImmediate);

      crashing.pass(121);
      expect(await sweepApprovals(stepPorts(crashing.ports))).toMatchObject({ leases_ended: 1 });
      expect(await crashing.ports.approvals.find(id)).toMatchObject({ status: 'consumed', outcome: 'unknown' });
      const again = await ask('POST', '/admin/v1/test-action', {
        key: keys.agent,
        body: { ...body, approval_ref: id },
      });
      expect(again.body.decision).toBe('review');
      expect(runs).toBe(1);
      await crashing.stop();
    });

    test('deciding a row stops the clock that waits for it', async () => {
      const { body } = await act(inSession(pull));
      await gateway.ports.approvals.holdToken(body.envelope_id, 'token-1');
      await approve(body.envelope_id);
      expect(gateway.settled).toContain('token-1');
      const late = await gateway.ports.approvals.holdToken(body.envelope_id, 'token-2');
      expect(late.status).toBe('approved');
    });
  });
  describe('on_approval: execute', () => {
    test('[approval.on-approval.execute] the clock runs the call once, and the identical call gets the result', async () => {
      let runs = 0;
      const executing = await testPorts({
        extra: 'approvals: { on_approval: execute }',
        executors: [
          {
            name: 'git',
            handles: () => true,
            execute: async () => ({ pr_number: ++runs, pr_url: 'https://git.example/1' }),
          },
        ],
      });
      const ask = caller(executing.ports);
      const body = inSession(pull, 'exec-1');
      const asked = await ask('POST', '/admin/v1/test-action', { key: keys.agent, body });
      const id = asked.body.envelope_id;
      await ask('POST', `/admin/v1/approvals/${id}/approve`, { key: keys.human, body: { reviewer: 'alice' } });
      await settle(stepPorts(executing.ports), id);
      await settle(stepPorts(executing.ports), id);
      const collected = await ask('POST', '/admin/v1/test-action', {
        key: keys.agent,
        body: { ...body, approval_ref: id },
      });
      expect(collected.body).toMatchObject({
        decision: 'allow',
        matched_rule: `approved:${id}`,
        result: { pr_number: 1 },
      });
      expect(runs).toBe(1);
      await executing.stop();
    });
  });
});
