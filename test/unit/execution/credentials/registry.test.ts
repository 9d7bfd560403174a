/** The registry of issued credentials: what is written when, and who calls a credential back. */
import { provenanceOf } from '#core/execution/credentials/entries.ts';
import {
  finishCredential,
  recordMint,
  recordUse,
  revokeCredential,
  sweepCredentials,
} from '#core/execution/credentials/registry.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { isoTime } from '#core/kernel/ports.ts';
import type { Loose } from '../../../support/loose.ts';

const now = Date.UTC(2026, 0, 1);
const record: Loose = {
  ...{ id: 'c1', tenant: 't', session_id: 's', envelope_id: 'e', broker: 'b', type: 'x', scope: 'y', degraded: false },
  ...{ issued_at: isoTime(now - 1_000), expires_at: isoTime(now + 60_000) },
};
const credential = { record, secret: 'value' };
const actor = { key_id: 'k1', agent: 'writer' };

/** A registry over a ledger that answers `outcomes` one after the other, and a broker that keeps what it is asked. */
function registry({ outcomes = [{ ok: true }], broker = {}, stored = record }: Loose = {}) {
  const state = { commits: [] as Loose[], revoked: [] as unknown[], logged: [] as Loose[] };
  const ports: Loose = {
    clock: { now: () => now },
    ledger: {
      commit: async (step: Loose) => {
        state.commits.push(step);
        const outcome = outcomes[Math.min(state.commits.length, outcomes.length) - 1];
        if (outcome instanceof Error) throw outcome;
        return { head: { last_hash: `h${state.commits.length}` }, ...outcome };
      },
    },
    brokers: async () =>
      broker && { name: 'b', revoke: async (...given: unknown[]) => void state.revoked.push(given), ...broker },
    credentials: { get: async () => stored, due: async () => [stored] },
    telemetry: { log: (...given: unknown[]) => void state.logged.push(given) },
  };
  return { ...state, ports };
}
const acts = ({ commits }: { readonly commits: Loose[] }) => commits.map(({ draft }) => draft.body);

describe('a fresh credential', () => {
  test('is written down before its use, and its use before its executor has it', async () => {
    const made = registry();
    expect(await recordMint(made.ports, credential, actor, null)).toEqual({ last_hash: 'h1' });
    expect(await recordUse(made.ports, credential, 'git', actor)).toEqual({ last_hash: 'h2' });
    expect(acts(made)).toMatchObject([{ action: 'mint' }, { action: 'use', executor: 'git' }]);
    expect(made.commits[0]).toMatchObject({
      ...{ head: null, changes: [{ type: 'credential.put', credential: record }] },
      draft: { kind: 'credential', tenant: 't', session_id: 's', envelope_id: 'e', actor, timestamp: isoTime(now) },
    });
    expect(JSON.stringify(made.commits)).not.toContain('value');
    expect(made.revoked).toEqual([]);
  });

  test.each([
    ['is recorded already', { ok: false }, 'conflict'],
    ['cannot be written down', new GatewayError('service_unavailable', 'no store'), 'service_unavailable'],
  ])('that %s is called back and not used', async (_, outcome, code) => {
    const made = registry({ outcomes: [outcome] });
    await expect(recordMint(made.ports, credential, actor)).rejects.toMatchObject({ code });
    expect(made.revoked).toEqual([[record, 'value']]);
  });

  test('a use that the ledger refuses is a fault of the gateway', async () => {
    await expect(recordUse(registry({ outcomes: [{ ok: false }] }).ports, credential, 'git', actor)).rejects.toThrow(
      'a use carries no conditions',
    );
  });
});

describe('the end of its action', () => {
  test.each([
    ['by its record', {}, 'revoked', [[record, 'value']]],
    ['by its value', { calledBack: 'by_value' }, 'revoked', [[record, 'value']]],
    ['never', { calledBack: 'never' }, 'until_expiry', []],
    ['by no broker', undefined, 'until_expiry', []],
  ])('one that is called back %s', async (_, broker, expected, revoked) => {
    const made = registry({ broker: broker ?? null });
    expect(await finishCredential(made.ports, credential, actor)).toBe(expected);
    expect(made.revoked).toEqual(revoked);
    expect(acts(made)).toMatchObject(expected === 'revoked' ? [{ action: 'revoke', issuer: 'called_back' }] : []);
    if (expected === 'revoked')
      expect(made.commits[0]!.changes).toEqual([
        { type: 'credential.revoke', tenant: 't', id: 'c1', revoked_at: isoTime(now) },
      ]);
    expect(made.logged).toEqual([]);
  });

  test.each([
    [new GatewayError('service_unavailable', 'x', { data: { reason: 'sealed' } }), 'sealed'],
    [new Error('token=abc'), 'unknown'],
  ])('an issuer that fails is logged without its text, and the sweep comes back', async (fault, reason) => {
    const made = registry({ broker: { revoke: () => Promise.reject(fault) } });
    expect(await finishCredential(made.ports, credential)).toBe('later');
    expect(made.logged).toEqual([
      ['warn', 'a credential was not called back', { credential_id: 'c1', broker: 'b', envelope_id: 'e', reason }],
    ]);
    expect(made.commits).toEqual([]);
  });

  test('what could not be written down is left to the sweep', async () => {
    const made = registry({ outcomes: [new Error('no store')] });
    expect(await finishCredential(made.ports, credential)).toBe('later');
    expect(made.logged[0]![1]).toBe('a revoked credential was not written down');
  });
});

describe('the sweep', () => {
  const over = { ...record, expires_at: isoTime(now - 1) };

  test.each([
    ['calls back by the record what is left', {}, record, 1, 'called_back'],
    ['leaves what its issuer ends by value, while it lives', { calledBack: 'by_value' }, record, 0, undefined],
    ['writes down what is over', { calledBack: 'by_value' }, over, 1, 'until_expiry'],
    [
      'counts the end of the issuer',
      { calledBack: 'never' },
      { ...over, issuer_expires_at: isoTime(now + 1) },
      0,
      undefined,
    ],
    [
      'ends what dies at this moment',
      { calledBack: 'never' },
      { ...record, expires_at: isoTime(now) },
      1,
      'until_expiry',
    ],
  ])('%s', async (_, broker, stored, revoked, issuer) => {
    const made = registry({ broker, stored });
    expect(await sweepCredentials(made.ports)).toBe(revoked);
    expect(acts(made)).toMatchObject(issuer ? [{ action: 'revoke', issuer }] : []);
    expect(made.commits.map(({ draft }) => draft.actor)).toEqual(issuer ? [{ key_id: 'system' }] : []);
  });

  test('[watch.each-by-itself] one that cannot be called back or recorded does not keep the others from it', async () => {
    const rows: Loose[] = Array.from({ length: 130 }, (_, n) => ({ ...record, id: `c${n}` }));
    const left = new Set(rows);
    const made = registry({
      broker: {
        revoke: async ({ id }: Loose) => {
          if (id !== 'c129' && id !== 'c0') throw new Error('refused');
        },
      },
    });
    made.ports.credentials.due = async (_: string, limit: number) => [...left].slice(0, limit);
    made.ports.ledger.commit = async ({ changes }: Loose) => {
      if (changes[0].id === 'c0') throw new Error('the row is too large');
      left.delete(rows[129]!);
      return { ok: true, head: { last_hash: 'h' } };
    };
    expect(await sweepCredentials(made.ports)).toBe(1);
    expect(made.logged.filter(([level]) => level === 'error')).toMatchObject([
      ['error', 'a revoked credential was not recorded', { credential_id: 'c0' }],
    ]);
  });

  test('does not count what another process revoked', async () => {
    expect(await sweepCredentials(registry({ outcomes: [{ ok: false }] }).ports)).toBe(0);
  });
});

describe('an administrator revokes', () => {
  const principal: Loose = { tenant: 't', key_id: 'h1', person: 'alice' };
  const revoke = (ports: Loose) => revokeCredential(ports, principal, 'c1');

  test.each([
    [{}, 'called_back'],
    [{ calledBack: 'by_record' }, 'called_back'],
    [{ calledBack: 'by_value' }, 'until_expiry'],
    [{ calledBack: 'never' }, 'until_expiry'],
    [null, 'until_expiry'],
  ])('%j: the entry says what the issuer did', async (broker, issuer) => {
    const made = registry({ broker });
    expect(await revoke(made.ports)).toEqual({ ...record, revoked_at: isoTime(now) });
    expect(acts(made)).toMatchObject([{ action: 'revoke', issuer }]);
    expect(made.commits[0]!.draft.actor).toEqual({ key_id: 'h1', person: 'alice' });
  });

  test.each([
    ['revoked', { ...record, revoked_at: isoTime(now) }, 'is already revoked'],
    ['expired', { ...record, expires_at: isoTime(now) }, 'is already expired'],
  ])('one that is %s is a conflict with the record', async (_, stored, message) => {
    const made = registry({ stored });
    await expect(revoke(made.ports)).rejects.toMatchObject({
      ...{ code: 'conflict', data: { record: stored }, message: expect.stringContaining(message) },
    });
    expect(made.revoked).toEqual([]);
  });

  test('one that is unknown is not found; one that another process revoked meanwhile is a conflict', async () => {
    await expect(revoke(registry({ stored: null }).ports)).rejects.toMatchObject({ code: 'not_found' });
    const made = registry({ outcomes: [{ ok: false }] });
    await expect(revoke(made.ports)).rejects.toMatchObject({ code: 'conflict' });
  });
});

test('evidence keeps what a credential was, and nothing that is absent', () => {
  const kept = { id: 'c1', type: 'x', scope: 'y', broker: 'b', expires_at: record.expires_at };
  expect(provenanceOf(record)).toEqual(kept);
  const more = { degraded: true, version_id: 'v', policy_digest: 'd' };
  expect(provenanceOf({ ...record, ...more })).toEqual({ ...kept, ...more });
});
