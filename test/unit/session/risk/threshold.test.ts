/** The threshold of the kill switch, and which calls count for the rules, depending on their decision. */

import { behaviorSchema } from '#core/contracts/behavior-schema.ts';
import { blockedBy } from '#core/session/risk/assess.ts';
import { play, readers, type Step, sh, startMs } from './play.ts';

const settings = behaviorSchema.parse({ kill_switch_score: 80 });
const standing = (score: number) => ({ session: { score, rule: 'exfiltration' }, key: undefined });

test('[behavior.rules] a score equal to the threshold blocks the session, and a lower score does not', () => {
  expect(blockedBy(settings, standing(80), startMs)).toMatchObject({ score: 80, of: 'session' });
  expect(blockedBy(settings, standing(79.9), startMs)).toBeUndefined();
  expect(blockedBy({ ...settings, enabled: false }, standing(200), startMs)).toBeUndefined();
});

describe('[behavior.rules] places', () => {
  const hosts = (decision: Step['decision']): Step[] =>
    Array.from({ length: 14 }, (_, i) => ({
      ...sh(`curl https://host${i}.example/x`),
      ...(decision && { decision }),
      after: 5,
    }));
  const rulesOf = async (decision: Step['decision']) =>
    (await play(await readers(), hosts(decision), { kill_switch_score: 1000 })).rules;

  test('count for calls that were allowed', async () => {
    expect(await rulesOf('allow')).toContain('fan_out');
  });

  test.each(['review', 'block'] as const)(
    'do not count for calls with decision %s, which reach no host',
    async (decision) => {
      expect(await rulesOf(decision)).not.toContain('fan_out');
    },
  );
});

test('[behavior.rules] a score exactly at the threshold still blocks after its points would have expired', async () => {
  const line = sh('cat .env ~/.aws/credentials ~/.ssh/id_rsa ~/.netrc');
  const anHourLater = startMs + 3_600_000;
  const isBlocked = async (kill_switch_score: number) => {
    const { head } = await play(await readers(), [line], { kill_switch_score });
    const given = behaviorSchema.parse({ kill_switch_score });
    return blockedBy(given, { session: head?.risk, key: undefined }, anHourLater) !== undefined;
  };
  const { highest } = await play(await readers(), [line], { kill_switch_score: 1000 });
  expect(highest).toBeGreaterThan(0);
  expect(await isBlocked(highest)).toBe(true);
  expect(await isBlocked(highest + 1)).toBe(false);
});

describe('[behavior.rules] secrets', () => {
  const four = sh('cat .env ~/.aws/credentials ~/.ssh/id_rsa ~/.netrc');
  const rulesOf = async (decision: Step['decision']) =>
    (await play(await readers(), [{ ...four, ...(decision && { decision }) }], { kill_switch_score: 1000 })).rules;

  test('count if they were read, or if a call that would read them was blocked', async () => {
    expect(await rulesOf('allow')).toContain('credential_abuse');
    expect(await rulesOf('block')).toContain('credential_abuse');
  });

  test('do not count while a decision is pending', async () => {
    expect(await rulesOf('review')).not.toContain('credential_abuse');
  });
});
